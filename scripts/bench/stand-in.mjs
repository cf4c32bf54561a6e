// The service's process, held by the bench.
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

export async function startService(latency) {
  const child = fork(join(import.meta.dirname, "service.mjs"), [String(latency)], { stdio: "inherit", execArgv: [] });
  const [{ port }] = await once(child, "message");
  const ask = async question => {
    child.send(question);
    const [answer] = await once(child, "message");
    return answer;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    /** What reached it since the last call: `{ requests: { "GET /v1/documents/:id": n }, bytesIn, bytesOut, documents }`. */
    counts: () => ask("counts"),
    /** And how many names they have, `names`. */
    names: () => ask("names"),
    /** The same as figures of a fleet: `{ requests, sent, names }`. */
    async figures() {
      const { requests, documents: sent, names } = await ask("names");
      return { requests, sent, names };
    },
    /** Also forgets its documents. */
    forget: () => ask("forget"),
    async close() {
      child.disconnect();
      await once(child, "exit");
    },
  };
}
