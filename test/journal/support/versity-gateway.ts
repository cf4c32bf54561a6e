import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../commands/fleet/local-postgres.js";
import { scratchFolder } from "../../support/scratch.js";

const { DOCSIGN_TEST_S3_SERVER: program, DOCSIGN_TEST_S3_SERVER_MISSING: reason } = process.env;

/** Why there is none; undefined where there is. */
export const missingS3Server: string | undefined = program ? undefined : (reason ?? "`npm test` brings an S3 server");

/**
 * A real S3 server over a folder, with one bucket, `contracts`. What it notes of an object is in the file's extended attributes: with
 * `--sidecar` a read beside a write may answer with the old content and the new tag, and a journal needs the two to agree.
 */
export async function startVersityGateway(access: string, secret: string) {
  if (!program) throw new Error(missingS3Server);
  const server = program;
  const folder = scratchFolder("docsign-s3-");
  const data = join(folder, "data");
  mkdirSync(join(data, "contracts"), { recursive: true });
  const start = (port: number) => {
    const options = ["--access", access, "--secret", secret, "--port", `127.0.0.1:${port}`, "--region", "us-east-1"];
    return spawn(server, [...options, "posix", data], { stdio: "ignore" });
  };
  let port = await freePort();
  let running = start(port);
  // Somebody else may have taken the port meanwhile: then it ends.
  for (let tries = 1; !(await answers(port, running)); tries++) {
    if (tries === 5) throw new Error("expected the S3 server to listen, got one that ended");
    port = await freePort();
    running = start(port);
  }
  const endpoint = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (hasEnded(running)) return;
    running.kill("SIGKILL");
    await once(running, "exit");
  };
  return {
    endpoint,
    port,
    async restart() {
      await stop();
      running = start(port);
      if (!(await answers(port, running))) throw new Error(`port ${port} is somebody else's by now`);
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

/** Whether it is this gateway that listens there, and not another server; false once it has ended. */
async function answers(port: number, gateway: ChildProcess): Promise<boolean> {
  const ended = once(gateway, "exit").then(() => false);
  const asked = async () => {
    for (;;) {
      const signal = AbortSignal.timeout(1_000);
      const answer = await fetch(`http://127.0.0.1:${port}/`, { signal }).catch(() => undefined);
      if (hasEnded(gateway)) return false;
      if (answer?.headers.get("server") === "VERSITYGW") return true;
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  };
  return Promise.race([ended, asked()]);
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
