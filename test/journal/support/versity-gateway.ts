import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../fleet/local-postgres.js";
import { scratchFolder } from "../../support/scratch.js";

const { DOCSIGN_TEST_S3_SERVER: program, DOCSIGN_TEST_S3_SERVER_MISSING: reason } = process.env;

/** Why there is none; undefined where there is. */
export const missingS3Server: string | undefined = program ? undefined : (reason ?? "`npm test` brings an S3 server");

/** A real S3 server over a folder, with one bucket, `contracts`. */
export async function startVersityGateway(access: string, secret: string) {
  if (!program) throw new Error(missingS3Server);
  const folder = scratchFolder("docsign-s3-");
  const data = join(folder, "data");
  const metadata = join(folder, "metadata");
  mkdirSync(join(data, "contracts"), { recursive: true });
  mkdirSync(metadata);
  const port = await freePort();
  const options = ["--access", access, "--secret", secret, "--port", `127.0.0.1:${port}`, "--region", "us-east-1"];
  const endpoint = `http://127.0.0.1:${port}`;
  const server = () =>
    spawn(program, [...options, "posix", "--sidecar", metadata, data], { stdio: ["ignore", "pipe", "pipe"] });
  let running = server();
  const untilReady = () =>
    new Promise<void>((resolve, reject) => {
      let said = "";
      const hear = (chunk: Buffer) => {
        said += chunk;
        if (said.includes(String(port))) resolve();
      };
      running.stdout.on("data", hear);
      running.stderr.on("data", hear);
      running.once("exit", () => reject(new Error(said)));
    });
  const stop = async () => {
    const gone = new Promise(resolve => running.once("exit", resolve));
    running.kill("SIGKILL");
    await gone;
  };
  await untilReady();
  return {
    endpoint,
    port,
    async restart() {
      await stop();
      running = server();
      await untilReady();
    },
    read(path: string): string {
      const file = join(data, "contracts", path);
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    },
    async [Symbol.asyncDispose]() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
