import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["ts", "-help"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const SETTINGS = `
[tsa]
default_tsa = own
[own]
serial = ./serial
crypto_device = builtin
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256, sha512
accuracy = secs:1
tsa_name = yes
ess_cert_id_alg = sha256
[stamping]
extendedKeyUsage = critical, timeStamping
[req]
distinguished_name = none
[none]
`;

/** A time-stamping authority of the test's own. */
export class Tsa implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), "docsign-tsa-"));

  constructor() {
    this.#write("tsa.cnf", SETTINGS);
    this.#write("serial", "2A\n");
    const subject = ["-subj", "/C=MX/O=Sandbox TSA/CN=TSA Uno", "-days", "30"];
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", "key.pem"];
    this.#run(
      "req",
      "-x509",
      ...key,
      "-out",
      "certificate.pem",
      ...subject,
      "-config",
      "tsa.cnf",
      "-extensions",
      "stamping",
    );
  }

  /** A timestamp of these bytes: as a response, or as the token alone. */
  stamp(
    bytes: Uint8Array,
    { form = "token", hash = "sha256" }: { form?: "token" | "response"; hash?: string } = {},
  ): Buffer {
    this.#write("data", bytes);
    this.#run("ts", "-query", "-data", "data", `-${hash}`, "-cert", "-out", "query");
    const signer = ["-signer", "certificate.pem", "-inkey", "key.pem"];
    const output = form === "token" ? ["-token_out"] : [];
    this.#run("ts", "-reply", "-config", "tsa.cnf", "-queryfile", "query", ...signer, ...output, "-out", "answer");
    return readFileSync(join(this.#folder, "answer"));
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(...args: string[]): void {
    execFileSync("openssl", args, { cwd: this.#folder, stdio: "ignore" });
  }

  #write(name: string, content: string | Uint8Array): void {
    writeFileSync(join(this.#folder, name), content);
  }
}
