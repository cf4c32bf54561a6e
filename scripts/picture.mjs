// npm run picture: the terminal in the README, from a real run. `--again` draws it anew from the last recording.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { FILES, pictureOf } from "./picture/picture.mjs";
import { exitWith } from "./setup/errors.mjs";
import { readFlags } from "./setup/usage.mjs";
import { ready, root } from "./setup.mjs";

const flags = readFlags({
  name: "picture",
  what: `Runs the quickstart example with a real engine against the sandbox, keeps what the terminal showed in
${FILES.recording}, and draws ${FILES.picture} from it.`,
  flags: { again: { type: "boolean", help: "run nothing; draw the recording that is there" } },
  examples: ["npm run picture", `cat ${FILES.recording}     # the whole recording, in your own terminal`],
});

const [recording, picture] = [FILES.recording, FILES.picture].map(path => join(root, path));
try {
  if (!flags.again) {
    const { env, engine } = await ready({ dependencies: true, build: true, engine: "needed" });
    const { record } = await import("./picture/record.mjs");
    const text = await record({ root, env, pulumi: engine.pulumi });
    await mkdir(dirname(recording), { recursive: true });
    await writeFile(recording, text);
    process.stdout.write(`${FILES.recording} is recorded\n`);
  }
  await writeFile(picture, pictureOf(await readFile(recording, "utf8")));
  process.stdout.write(`${FILES.picture} is drawn\n`);
} catch (error) {
  exitWith(error);
}
