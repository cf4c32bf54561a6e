import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const KEY = Buffer.alloc(32, 7).toString("base64");

const LATE = fileURLToPath(new URL("late.cjs", import.meta.url));

/** A flag for `pulumi stack init`: who keeps the key of the stack's secrets. */
export const KEPT = "--secrets-provider=hashivault://tests";

/**
 * An environment in which the engine does the same in half the time. A stand-in for a Vault keeps the key of stacks with
 * `KEPT`: from a passphrase the engine works it out anew in every command. Its garbage collector is in less of a
 * hurry: a command ends before there is much. And programs in Node load less of Pulumi's SDK.
 */
export async function thrift(): Promise<Record<string, string>> {
  address ??= startKeeper();
  return {
    VAULT_SERVER_URL: await address,
    VAULT_SERVER_TOKEN: "tests",
    GOGC: "400",
    NODE_OPTIONS: `--require ${JSON.stringify(LATE)}`,
  };
}

let address: Promise<string> | undefined;

/** It has one key, which it hands out whatever the question. */
async function startKeeper(): Promise<string> {
  const data = { ciphertext: "vault:v1:key", plaintext: KEY };
  const server = createServer((_, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
  });
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export interface FreshStack {
  /** The folder of the file backend. */
  readonly backend: string;
  /** The folder of the program. */
  readonly program: string;
  readonly name: string;
}

/** The name of the project in a folder. */
export function projectIn(program: string): string {
  const [, name = ""] = /^name: (.*)$/m.exec(readFileSync(join(program, "Pulumi.yaml"), "utf8")) ?? [];
  return name;
}

/** Where a file backend keeps a stack's state. */
export const checkpointOf = (backend: string, project: string, name: string): string =>
  join(backend, ".pulumi", "stacks", project, `${name}.json`);

/** Writes what `pulumi stack init` with `KEPT` writes. */
export function freshStack({ backend, program, name }: FreshStack): void {
  const project = projectIn(program);
  const path = checkpointOf(backend, project, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(join(backend, ".pulumi", "meta.yaml"), "version: 1\n");
  const checkpoint = { stack: `organization/${project}/${name}` };
  writeFileSync(path, JSON.stringify({ version: 3, checkpoint }));
  const encryptedKey = Buffer.from("vault:v1:key").toString("base64");
  const settings = `secretsprovider: hashivault://tests\nencryptedkey: ${encryptedKey}\n`;
  writeFileSync(join(program, `Pulumi.${name}.yaml`), settings);
}
