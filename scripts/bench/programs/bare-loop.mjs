// The network's floor: the requests alone, as many at once as the engine has operations in flight by default.
// `bare-loop.mjs up|refresh <service> <pdfs> <count> <at once>`
import { readFile } from "node:fs/promises";
import { request } from "undici";

const [, , phase, service, pdfs, count, atOnce] = process.argv;
const headers = { "content-type": "application/json", "x-api-key": "bench" };

async function create(i) {
  const pdf = await readFile(`${pdfs}/${i}.pdf`, "base64");
  return request(`${service}/v1/documents`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      name: `Contract ${i}`,
      invitations_attributes: [{ invite_email: "ana@example.com", invite_name: "Ana Torres" }],
      base64_file: `data:application/pdf;base64,${pdf}`,
    }),
  });
}

const read = i => request(`${service}/v1/documents/${i + 1}`, { headers });

let next = 0;
async function worker() {
  while (next < Number(count)) {
    const answer = await (phase === "up" ? create : read)(next++);
    const { ok } = await answer.body.json();
    if (!ok) throw new Error(`the service answered ${answer.statusCode}`);
  }
}
await Promise.all(Array.from({ length: Number(atOnce) }, worker));
