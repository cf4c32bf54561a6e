// A process of its own that creates one document after another for resources of its own, as far as the journal is
// concerned, until it is killed or done. It prints what it was answered.
import { openJournal } from "../../../provider/resources/journal/open-journal.js";
import { patient } from "./patient.js";

const [setting = "", folder = "", name = "", count = "0"] = process.argv.slice(2);
const service = "https://api.example.com";
const journal = openJournal({ setting, folder, env: {}, run: name, clock: patient });

async function write(): Promise<void> {
  for (let nth = 1; nth <= Number(count); nth++) {
    const scope = { service, urn: `urn:${name}-${nth}` };
    const content = { fingerprint: `f${nth}`, name: "n", sha256: "5", invitees: "i", description: "d" };
    if (!(await journal.begin(scope, { ...content, startedAt: 1, supersedes: [], owned: [] }, undefined))) continue;
    process.stdout.write(`begun ${nth}\n`);
    // Enough history for the log to be compacted a few times while others write.
    const scratch = { service, urn: `urn:${name}` };
    await Promise.all(Array.from({ length: 8 }, () => journal.withdraw(scratch, "0")));
    // All writers are after the same ids.
    if (await journal.claim(scope, String(nth), { fingerprint: content.fingerprint, supersedes: [] }))
      process.stdout.write(`claimed ${nth}\n`);
  }
  await journal.close();
}

void write();
