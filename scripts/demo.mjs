// npm run demo: one contract from unsigned to signed, then fifty from a table, on this machine only. `--keep` leaves everything running.
import { appendFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

const { keep = false } = readFlags({
  name: "demo",
  what: `One contract from unsigned to signed, then fifty from a table, with a real engine against the sandbox, on this machine only.
It brings what it needs: a Node, the dependencies, a Pulumi engine. What it makes it takes away again.`,
  flags: { keep: { type: "boolean", help: "leave everything running, and say how to go on" } },
  environment: [["NO_COLOR", "any value: no colours"]],
  examples: ["npm run demo", "npm run demo -- --keep"],
});
const { env, engine } = await ready({ dependencies: true, build: true, engine: "needed" });

const { createScreen } = await import("./demo/screen.mjs");
const { startService } = await import("./demo/service.mjs");
const { openStack } = await import("./demo/stack.mjs");

/** In the table of the second act. */
const MEMBERS = 50;
const screen = createScreen(process.stdout);
const started = Date.now();
screen.title("One contract from unsigned to signed, then fifty, on this machine only. Nobody is really mailed.");

const service = await startService({ root, node: process.execPath, keep });
let stack;
let team;
let clean = false;
process.once("SIGINT", () => void leave(130)).once("SIGTERM", () => void leave(143));
// Whoever reads along has gone, as `head` does: nothing is left behind for that.
process.stdout.once("error", () => void leave(141)).on("error", () => {});
try {
  stack = await openStack({ root, env, pulumi: engine.pulumi, service });
  await play();
  team = await openStack({ root, env, pulumi: engine.pulumi, service, example: "provisioning/yaml" });
  await playTeam();
  if (keep) screen.plain(stack.howToGoOn(service));
  clean = !keep;
} catch (error) {
  screen.plain(`\nThe demo stopped: ${error.message}`);
  process.exitCode = 1;
  clean = true;
}
if (clean) await cleanUp();
if (process.exitCode === undefined && !keep)
  screen.title(
    `Done in ${Math.round((Date.now() - started) / 1000)} s. Go on with examples/quickstart, or with \`npm run demo -- --keep\`.`,
  );

async function play() {
  screen.step(`The signing service's stand-in listens on ${service.url}`);

  screen.step("pulumi up: a folder, and a contract that two people are to sign");
  await stack.pulumi(["up", "--yes"], screen.engine);
  const before = await stack.outputs();
  screen.table(before);
  for (const mail of await service.see("mails"))
    screen.note(`mail to ${mail.to}: invited to sign document ${mail.documentId}`);

  screen.step("Ana signs, then Bob, as they would from their mail");
  for (const who of ["ana@example.com", "bob@example.org"]) {
    await service.act("sign", { documentId: Number(before.documentId), who });
    screen.note(`${who} has signed`);
  }
  await service.act("certify", { documentId: Number(before.documentId) });
  screen.note("the service has made the NOM151 and blockchain certificates");

  screen.step("pulumi up --refresh: the stack learns of it; nothing is changed and no one is mailed");
  await stack.pulumi(["up", "--refresh", "--yes", "--skip-preview"], screen.engine);
  const after = await stack.outputs();
  screen.table(after);

  screen.step("The Bitcoin certificate, from the address in the outputs");
  const { status, bytes } = await service.download(after.btcCertificate);
  screen.note(`GET ${after.btcCertificate}`);
  screen.note(`${status}, ${bytes.length} bytes, begins with ${bytes.subarray(0, 5).toString("latin1")}`);

  screen.step("Somebody changes the contract in git: what is signed is never replaced");
  const refusal = await stack.changeContract(screen.engine);
  if (refusal === 0) throw new Error("the changed contract wasn't refused");
  const mails = await service.see("mails");
  screen.note(`mails sent in all of this: ${mails.length}, one for each signer`);

  if (keep) return;
  screen.step("pulumi destroy: the stack lets go; the contract stays at the service");
  await stack.restoreContract();
  await stack.pulumi(["destroy", "--yes"], screen.engine);
}

/** The second act: a contract for each line of a table. */
async function playTeam() {
  const table = join(team.program, "team.csv");
  const line = number => `member${number}@example.com,Member ${number},1 March 2027\n`;
  const before = (await service.see("mails")).length;
  const mailed = async () => (await service.see("mails")).slice(before);

  screen.step(
    `pulumi up: a table of ${MEMBERS} people, a contract in Markdown, and one resource that sends each theirs`,
  );
  await writeFile(
    table,
    `email,name,start\n${Array.from({ length: MEMBERS }, (_, index) => line(index + 1)).join("")}`,
  );
  await team.pulumi(["up", "--yes", "--skip-preview", "--suppress-outputs"], screen.engine);
  const first = await mailed();
  screen.table((await team.outputs()).summary);
  screen.note(`mails sent: ${first.length}, one for each line`);

  screen.step("One line is added to the table: the preview says who will be mailed");
  await appendFile(table, line(MEMBERS + 1));
  await team.pulumi(["up", "--yes", "--suppress-outputs"], screen.engine);
  const added = (await mailed()).slice(first.length);
  screen.table((await team.outputs()).summary);
  screen.note(`mails sent: ${added.length}, to ${added.map(({ to }) => to).join(", ")}`);
  if (first.length !== MEMBERS || added.length !== 1) throw new Error("not everyone was mailed once");

  if (keep) return;
  screen.step("pulumi destroy: the stack lets go of all of them; the contracts stay at the service");
  await team.pulumi(["destroy", "--yes", "--skip-preview"], () => {});
}

async function cleanUp() {
  await service.stop();
  for (const each of [stack, team]) if (each) await rm(each.folder, { recursive: true, force: true });
}

async function leave(code) {
  await cleanUp();
  process.exit(code);
}
