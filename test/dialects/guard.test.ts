import { expect, test } from "vitest";
import { type Cause, causes, statuses } from "../lifecycle/matrix.js";
import { type Scene, scene } from "../lifecycle/scene.js";
import type { Machine } from "../support/machine.js";
import type { Goal } from "../support/simulated-engine.js";
import { Judge } from "./judge.js";
import { type Pair, sample } from "./sample.js";
import { openerOf } from "./story.js";

/** A signature that the status denies is the last invitee's: where that one is no signer of the document, nothing shows it. */
const signedAt = ({ dialect }: Pair) =>
  Object.entries(statuses).filter(
    ([status]) =>
      status !== "unsigned" &&
      !(status === "unsigned with a signature in it" && dialect.settings.dialect?.signers === "fewer"),
  );
const orders: readonly Partial<Goal>[] = [{}, { deleteBeforeReplace: true }];
const MINUTES_LATER_MS = 10 * 60_000;

/** Each cause once; status and order take turns from cause to cause and from dialect to dialect. */
test.each(sample("guard", 5))("$name: nothing that is signed is replaced", async pair => {
  const broken: string[] = [];
  const start = pair.name.length;
  const signed = signedAt(pair);
  for (const [index, [why, cause]] of Object.entries(causes).entries()) {
    // The host of dynamic resources has no assets here.
    if (why === "the file" && pair.frontEnd === "dynamic provider") continue;
    const [word, status] = signed[(start + index) % signed.length] ?? [];
    const order = orders[(start + Math.floor(index / signed.length)) % orders.length];
    if (!status || !order) throw new Error("no such cell");
    for (const what of await guarded(pair, cause, order, status.become)) broken.push(`${word}, ${why}: ${what}`);
  }
  expect(broken).toEqual([]);
});

/** A document that is made, signed, and to be replaced; then the program is taken back. */
async function guarded(
  { dialect, frontEnd }: Pair,
  cause: Cause,
  order: Partial<Goal>,
  become: (s: Scene, id: string) => void,
): Promise<string[]> {
  const key = frontEnd === "plugin" ? {} : { frontEnd: (machine: Machine) => openerOf(frontEnd, machine) };
  await using s = await scene({ ...dialect.settings, ...key, providers: { second: {} } });
  const judge = new Judge(s.service, s.stack);
  const up = async (program: readonly Goal[], options = {}): Promise<string | undefined> => {
    // Dynamic resources have no calls of their own in a preview.
    const { error } = await s.stack.up(program, { ...options, skipPreview: true });
    s.service.clock.advance(MINUTES_LATER_MS);
    s.machine.pass(MINUTES_LATER_MS);
    return error;
  };
  await up(cause.before(order));
  const error = await up(cause.before(order));
  const broken = judge.findings([]);
  const made = s.stack.entries.find(({ goal }) => goal.name === "nda")?.id;
  // A service at which none can be made, and the provider says why: the page of dialects names it.
  if (made === undefined)
    return /\[docsign\/create-unconfirmed\]|answered 422/.test(error ?? "")
      ? broken
      : [...broken, `not made: ${error}`];
  become(s, made);
  cause.prepare?.(s);
  broken.push(...judge.findings([]));
  const count = s.service.ledger.documentCount();

  await up(cause.after(order), cause.options);
  broken.push(...judge.findings([]));
  cause.revert?.(s);
  await up(cause.healsForward ? cause.after(order) : cause.before(order));
  broken.push(...judge.findings([]));
  await s.stack.refresh();
  broken.push(...judge.findings([]));

  const now = s.stack.entries.filter(({ goal }) => goal.name === "nda").map(({ id }) => id);
  if (now.join() !== made) broken.push(`state held ${made}, and holds ${now.join(", ") || "nothing"}`);
  if (s.service.ledger.documentCount() !== count) broken.push("a document was created in its place");
  judge.letGo();
  const destroyed = await s.stack.destroy();
  if (destroyed.error !== undefined) broken.push(`destroy failed: ${destroyed.error}`);
  return broken;
}
