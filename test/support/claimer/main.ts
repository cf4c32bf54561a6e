// A process of its own that claims ids 1 to N for one resource, and prints those it got.
import { Journal } from "../../../provider/resources/journal/journal.js";

const [folder = "", service = "", urn = "", most = "0"] = process.argv.slice(2);
void claimAll(new Journal(folder, undefined));

async function claimAll(journal: Journal): Promise<void> {
  for (let id = 1; id <= Number(most); id++) {
    if (await journal.claim({ service, urn }, String(id), "f".repeat(32), [])) process.stdout.write(`${id}\n`);
  }
  await journal.settled();
}
