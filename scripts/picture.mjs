// npm run picture: the terminal in the README, from a real run. `--again` draws it anew from the last recording.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { startService } from "./demo/service.mjs";
import { openStack } from "./demo/stack.mjs";
import { FILES, pictureOf } from "./picture/drawing.mjs";
import { exitWith } from "./setup/progress.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

const flags = readFlags({
  name: "picture",
  what: `Runs the quickstart example with a real engine against the sandbox, keeps what the terminal showed in
${FILES.recording}, and draws ${FILES.picture} from it.`,
  flags: { again: { type: "boolean", help: "run nothing; draw the recording that is there" } },
  examples: ["npm run picture", `cat ${FILES.recording}     # the whole recording, in your own terminal`],
});

const bold = text => `\x1b[1m${text}\x1b[0m`;
const dim = text => `\x1b[2m${text}\x1b[0m`;
const [recording, picture] = [FILES.recording, FILES.picture].map(path => join(root, path));
try {
  if (!flags.again) {
    const { env, engine } = await ready({ dependencies: true, build: true, engine: "needed" });
    const text = await record({ env, pulumi: engine.pulumi });
    await mkdir(dirname(recording), { recursive: true });
    await writeFile(recording, text);
    process.stdout.write(`${FILES.recording} is recorded\n`);
  }
  await writeFile(picture, pictureOf(await readFile(recording, "utf8")));
  process.stdout.write(`${FILES.picture} is drawn\n`);
} catch (error) {
  exitWith(error);
}

/**
 * A terminal session as it happens, colours included: the quickstart example on a real engine, against the sandbox, with
 * people signing in between.
 */
async function record({ env, pulumi }) {
  const service = await startService({ root, node: process.execPath, keep: false });
  const lines = [];
  let stack;
  const onLine = line => lines.push(line);
  const run = async (args, shown = args) => {
    lines.push(bold(`$ pulumi ${shown.join(" ")}`));
    await stack.pulumi(args, onLine);
    lines.push("");
  };
  const note = text => lines.push(dim(`# ${text}`));
  try {
    stack = await openStack({ root, env, pulumi, service, colour: "always" });

    await run(["preview"]);
    await run(["up", "--yes", "--skip-preview"], ["up", "--yes"]);
    const { documentId } = await stack.outputs();
    for (const mail of await service.see("mails"))
      note(`the service mails ${mail.to}: please sign document ${mail.documentId}`);
    for (const who of ["ana@example.com", "bob@example.org"]) {
      const before = await service.see("mails");
      await service.act("sign", { documentId: Number(documentId), who });
      const mailed = (await service.see("mails")).slice(before.length).map(({ to }) => to);
      note(`${who} signs${mailed.length > 0 ? `, and the service mails ${mailed.join(", ")}` : ""}`);
    }
    await service.act("certify", { documentId: Number(documentId) });
    note("the service makes the NOM151 and blockchain certificates");
    lines.push("");

    await run(["up", "--refresh", "--yes", "--skip-preview"], ["up", "--refresh", "--yes"]);
    note("somebody edits contracts/nda.pdf");
    lines.push(bold("$ pulumi preview"));
    if ((await stack.previewChangedContract(onLine)) === 0) throw new Error("the changed contract wasn't refused");
    return withoutMachine(`${lines.join("\n").trimEnd()}\n`, [root, stack.folder, homedir()]);
  } finally {
    await service.stop();
    if (stack) await rm(stack.folder, { recursive: true, force: true });
  }
}

/** The port was whichever was free; a user's sandbox has its usual one. Paths of this machine are nobody's business. */
function withoutMachine(text, folders) {
  const found = folders.find(folder => text.includes(folder));
  if (found) throw new Error(`the recording names a path of this machine: ${found}`);
  return text.replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:4010");
}
