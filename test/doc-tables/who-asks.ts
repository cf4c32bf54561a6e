import { expect } from "vitest";
import { causes } from "../lifecycle/matrix.js";
import { forgetMachine, nda, type Scene } from "../lifecycle/scene.js";
import type { Givens } from "../support/engine-client.js";
import type { Goal, Outcome, UpOptions } from "../support/simulated-engine.js";
import { aliased, deleteFirst, played, sign } from "./guarded.js";
import { causeIn, cell, type Ending, inEngine, type Row } from "./table.js";

/** The call that refused: nothing was sent, and state holds what it held. */
async function refusing(s: Scene, work: () => Promise<Outcome>, preview: boolean): Promise<Ending> {
  const id = s.id();
  s.sent();
  const { error = "(no error)", failed, calls, previewCalls } = await work();
  expect(failed, error).toBe(preview ? "preview" : "up");
  expect(s.service.ledger.documents().filter(({ madeBy }) => madeBy > 0)).toHaveLength(1);
  expect(s.sent().mails).toBe(0);
  expect(s.stack.entries.find(({ goal }) => goal.type === undefined)?.id).toBe(id);
  const verb = /^\w+/.exec((preview ? previewCalls : calls).at(-1) ?? "")?.[0] ?? "";
  if (causeIn(error) === "an error") {
    expect([...calls, ...previewCalls].filter(call => /^(create|delete)/.test(call))).toEqual([]);
    return "the engine refuses";
  }
  if (causeIn(error) !== "[docsign/replace-signed]") return causeIn(error);
  return `${verb[0]?.toUpperCase()}${verb.slice(1)} refuses` as Ending;
}

interface Scenario {
  readonly before: readonly Goal[];
  readonly after: readonly Goal[];
  readonly options?: UpOptions;
  readonly prepare?: (s: Scene) => void | Promise<void>;
  /** Signed before this call only. */
  readonly signedBefore?: string;
}

const asked =
  (when: "preview" | "up") =>
  ({ before, after, options, prepare = () => {}, signedBefore }: Scenario) =>
    played(before, async s => {
      await prepare(s);
      if (signedBefore === undefined) sign(s);
      const late = (call: string) => signedBefore !== undefined && call.startsWith(signedBefore) && sign(s);
      const how = { ...options, skipPreview: when === "up", before: late };
      return refusing(s, () => s.stack.up(after, how), when === "preview");
    });

const inPreview = asked("preview");
const inUp = asked("up");

const causeOf = (why: string, option: Partial<Goal> = {}): Scenario => {
  const cause = causes[why];
  if (!cause) throw new Error(why);
  const { options, prepare } = cause;
  return {
    before: cause.before(option),
    after: cause.after(option),
    ...(options && { options }),
    ...(prepare && { prepare }),
  };
};

const forced = (option: Partial<Goal>, more: readonly Goal[] = []): Scenario => ({
  before: [...more, nda(option)],
  after: [...more, nda(option)],
  options: { replace: ["nda", ...more.map(({ name }) => name)] },
});

const folder: Goal = { name: "folder", type: "docsign:index:Folder", inputs: { name: "F" }, deleteBeforeReplace: true };
const renamed = (option: Partial<Goal> = {}): Scenario => ({
  before: [nda(option)],
  after: [aliased(option)],
  options: { replace: ["contract"] },
});

const always = <A>(ends: Ending, of: (asked: A) => () => Promise<Ending>, cases: Record<string, A>) =>
  Object.fromEntries(Object.entries(cases).map(([name, each]) => [name, [ends, of(each)] as const]));

/** Which call asks the service, by the call in which a replacement of a signed document is refused. */
export const whoAsks: readonly Row<undefined>[] = [
  [
    "a changed input, another explicit provider",
    cell(
      "Diff asks",
      always("Diff refuses", inPreview, {
        "a changed input": causeOf("the base64File"),
        "another explicit provider": causeOf("another explicit provider"),
      }),
    ),
    cell("Diff asks, then Delete asks again", {
      ...always("Diff refuses", inUp, {
        "a changed input": causeOf("the base64File"),
        "another explicit provider": causeOf("another explicit provider"),
      }),
      ...always("Delete refuses", inUp, {
        "signed after Diff": { ...causeOf("the base64File"), signedBefore: "delete nda" },
      }),
    }),
  ],
  [
    "`--target-replace`, `--replace`, `pulumi state taint`",
    cell(
      "Create asks about the document the journal names",
      always("Create refuses", inPreview, {
        "--replace": forced({}),
        "--replace, delete first": forced(deleteFirst),
        "a taint": causeOf("a taint"),
      }),
    ),
    cell(
      "Create asks about the document the journal names; with `deleteBeforeReplace: true`, Delete asks about the document in state",
      {
        ...always("Create refuses", inUp, { "--replace": forced({}), "a taint": causeOf("a taint") }),
        ...always("Delete refuses", inUp, {
          "--replace, delete first": forced(deleteFirst),
          "a taint, delete first": causeOf("a taint", deleteFirst),
        }),
      },
    ),
  ],
  [
    "`replacementTrigger`, `replaceWith`",
    cell(
      "Create asks about the document the journal names",
      always("Create refuses", inPreview, {
        replacementTrigger: causeOf("a replacementTrigger"),
        replaceWith: causeOf("replaceWith"),
      }),
    ),
    cell(
      "Create asks about what was deleted in this run, or about the document the journal names",
      always("Create refuses", inUp, {
        replacementTrigger: causeOf("a replacementTrigger"),
        replaceWith: causeOf("replaceWith"),
        "replaceWith, the journal lost": { ...causeOf("replaceWith"), prepare: forgetMachine },
      }),
    ),
  ],
  [
    "`retainOnDelete` or `deletedWith` with a forced replacement",
    cell(
      "Create asks about the document the journal names",
      always("Create refuses", inPreview, {
        retainOnDelete: forced({ retainOnDelete: true }),
        deletedWith: forced({ deletedWith: "folder" }, [folder]),
      }),
    ),
    cell(
      "Create asks about the document the journal names: the engine calls no Delete",
      always("Create refuses", inUp, {
        retainOnDelete: forced({ retainOnDelete: true }),
        "retainOnDelete, delete first": forced({ retainOnDelete: true, ...deleteFirst }),
        "deletedWith, delete first": forced({ deletedWith: "folder", ...deleteFirst }, [folder]),
      }),
    ),
  ],
  [
    "a resource renamed by `aliases` and forced in the same run",
    cell(
      "Create finds the document in the lists: `[docsign/duplicate]`. Rename it in a run of its own",
      always("[docsign/duplicate]", inPreview, { "create first": renamed(), "delete first": renamed(deleteFirst) }),
    ),
    cell(
      "Create finds the document in the lists: `[docsign/duplicate]`; with `deleteBeforeReplace: true`, Delete asks, under the old URN",
      {
        ...always("[docsign/duplicate]", inUp, {
          "create first": renamed(),
          "create first, the journal lost": { ...renamed(), prepare: forgetMachine },
        }),
        ...always("Delete refuses", inUp, {
          "delete first": renamed(deleteFirst),
          "delete first, the journal lost": { ...renamed(deleteFirst), prepare: forgetMachine },
        }),
      },
    ),
  ],
  [
    "`protect`",
    cell(
      "the engine stops the replacement",
      always("the engine refuses", inPreview, {
        forced: forced({ protect: true }),
        "a changed input": { ...causeOf("the base64File", { protect: true }), signedBefore: "no call" },
      }),
    ),
    cell("the engine stops the replacement; with `--ignore-protect`, as above: `[docsign/replace-signed]`", {
      ...always("the engine refuses", inUp, {
        forced: forced({ protect: true }),
        "a changed input": { ...causeOf("the base64File", { protect: true }), signedBefore: "no call" },
      }),
      "--ignore-protect, forced": inEngine(
        "[docsign/replace-signed]",
        "engine/newer-engines",
        "--ignore-protect with --target-replace, %s first",
      ),
      "--ignore-protect, a changed input": inEngine(
        "[docsign/replace-signed]",
        "engine/newer-engines",
        "--ignore-protect with a changed name",
      ),
    }),
  ],
  [
    "an `onError` hook that repeats a refused create",
    "",
    cell("Create asks again each time: `[docsign/replace-signed]`", {
      "with an engine": inEngine("[docsign/replace-signed]", "engine/error-hooks", "replaces nothing signed"),
      "in one deployment": [
        "Create refuses",
        played([nda()], async s => {
          sign(s);
          const urn = s.stack.urn("nda");
          await using frontEnd = await s.stack.open(s.stack.providers["default"] ?? {}, {
            engine: "127.0.0.1:7",
            pid: 7,
          });
          const { inputs } = await frontEnd.check({ urn, news: nda().inputs as Givens });
          for (let nth = 0; nth < 3; nth++) {
            s.asked();
            await expect(frontEnd.create({ urn, inputs, preview: false })).rejects.toThrow("[docsign/replace-signed]");
            expect(s.asked()).toContain(`GET /v1/documents/${s.id()}`);
          }
          expect(s.sent()).toEqual({ creates: 0, mails: 0 });
          return "Create refuses";
        }),
      ],
    }),
  ],
];
