import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startSandbox } from "../../sandbox/index.js";

function selfSigned() {
  const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const made = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=sandbox".split(" ");
  const { status } = spawnSync("openssl", [...made, "-keyout", key, "-out", cert]);
  const pair = status === 0 ? { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") } : undefined;
  rmSync(folder, { recursive: true });
  return pair;
}

const status = (url: string, key: string, rejectUnauthorized: boolean) =>
  new Promise<number | undefined>((resolve, reject) => {
    get(`${url}/v1/documents`, { agent: false, rejectUnauthorized, headers: { "x-api-key": key } }, response => {
      response.resume().on("end", () => resolve(response.statusCode));
    }).on("error", reject);
  });

test("https with a certificate of one's own, which strict clients refuse", async context => {
  const tls = selfSigned();
  if (!tls) return context.skip("openssl is missing, it makes the certificate");
  await using sandbox = await startSandbox({ tls });
  expect(sandbox.url).toMatch(/^https:/);
  await expect(status(sandbox.url, sandbox.apiKey, true)).rejects.toMatchObject({
    code: "DEPTH_ZERO_SELF_SIGNED_CERT",
  });
  expect(await status(sandbox.url, sandbox.apiKey, false)).toBe(200);
});
