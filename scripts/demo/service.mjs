// The sandbox as a process of its own, driven over its control routes, as any other program could.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

export async function startService({ root, node, keep }) {
  const apiKey = "demo-key";
  const child = spawn(
    node,
    [join(root, "dist", "sandbox", "cli.cjs"), "--port", "0", "--control", "--api-key", apiKey],
    {
      detached: keep,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const url = await new Promise((resolve, reject) => {
    child.once("exit", code => reject(new Error(`the sandbox didn't start (exit code ${code})`)));
    createInterface({ input: child.stdout }).on("line", line => {
      const address = /http:\/\/[\w.:[\]]+/.exec(line)?.[0];
      if (address) resolve(address);
    });
  });
  if (keep) {
    child.unref();
    child.stdout.destroy();
  }
  const answer = async (response, what) => {
    const text = await response.text();
    if (!response.ok) throw new Error(`the sandbox refused ${what}: ${response.status} ${text}`);
    const body = text === "" ? {} : JSON.parse(text);
    return body.payload ?? body;
  };
  return {
    url,
    apiKey,
    pid: child.pid,
    act: async (name, body) =>
      answer(await fetch(`${url}/_sandbox/${name}`, { method: "POST", body: JSON.stringify(body) }), name),
    see: async name => answer(await fetch(`${url}/_sandbox/${name}`), name),
    async download(address) {
      const response = await fetch(address);
      return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}
