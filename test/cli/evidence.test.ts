import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { main } from "../../commands/cli/command.js";
import { makePdf, type Sandbox, type SeenRequest, startSandbox } from "../../sandbox/index.js";
import { hasOpenssl, Tsa } from "../evidence/tsa.js";
import { daily, isSample } from "../support/sample.js";
import { scratchFolder } from "../support/scratch.js";

/** How many documents are pulled while the puller is killed: 1,000 in the proof, fewer in each run. */
const MANY = Number(process.env["DOCSIGN_TEST_EVIDENCE"] ?? (isSample ? 8 : 24));

let sandbox: Sandbox;
let folder: string;
beforeEach(async () => {
  sandbox = await startSandbox();
  folder = scratchFolder("docsign-pull-");
});
afterEach(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

const settings = () => ({
  DOCSIGN_STATE_DIR: join(folder, "state"),
  DOCSIGN_BASE_URL: sandbox.url,
  DOCSIGN_API_KEY: sandbox.apiKey,
});

async function docsign(args: readonly string[], { env = {}, signal = new AbortController().signal } = {}) {
  const said = { out: "", err: "" };
  const code = await main(args, {
    out: text => {
      said.out += text;
    },
    err: text => {
      said.err += text;
    },
    env: { ...settings(), ...env },
    cwd: folder,
    pid: process.pid,
    version: "1.2.3",
    interrupted: () => signal,
    start: () => {},
  });
  return { code, ...said };
}

test("a service that can't be reached is a line, and no trace of ours", async () => {
  const { code, err } = await docsign(["evidence", "pull", "--folder", "1", "-o", "out"], {
    env: { DOCSIGN_BASE_URL: "http://127.0.0.1:1" },
  });
  expect(code).toBe(1);
  expect(err).toBe(
    "docsign: GET http://127.0.0.1:1/v1/documents: nothing listens at that address; check docsign:baseUrl (DOCSIGN_BASE_URL) (ECONNREFUSED)\n",
  );
});

/** Documents in the folder "Leases", signed by everybody, with all certificates. */
function signed(count: number): number[] {
  if (!sandbox.folders().some(({ name }) => name === "Leases")) sandbox.addFolder("Leases");
  const documents = Array.from({ length: count }, (_, nth) => ({
    ...{ name: `Lease ${nth}`, pdf: makePdf([`Lease ${nth}`]), folder: "Leases", signed: "all" as const },
    invitations: [{ email: "ana@example.com" }],
    certified: true,
  }));
  return sandbox.seed({ documents });
}

const leases = () => String(sandbox.folders().find(({ name }) => name === "Leases")?.id);
const pull = (out = "evidence") => docsign(["evidence", "pull", "--folder", leases(), "-o", out]);
const verify = (out = "evidence", ...more: string[]) => docsign(["verify", out, ...more]);
const pathOf = (...parts: (string | number)[]) => join(folder, "evidence", ...parts.map(String));
const manifest = () => readFileSync(pathOf("manifest.json"));

/** Every file below, with its hash. */
function tree(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter(name => statSync(join(root, name)).isFile());
  return Object.fromEntries(
    files.map(name => [
      name,
      createHash("sha256")
        .update(readFileSync(join(root, name)))
        .digest("hex"),
    ]),
  );
}

/** Counts the requests that fit; \`at\` is told each. */
function count(isMeant: (request: SeenRequest) => boolean, at: (count: number) => void = () => {}): () => number {
  let seen = 0;
  const where = (request: SeenRequest) => {
    if (isMeant(request)) at(++seen);
    return false;
  };
  sandbox.faults.next({ kind: "delay", ms: 0, times: "always", match: { where } });
  return () => seen;
}

const isDownload = ({ path }: SeenRequest) => !path.startsWith("/v1/");

describe("docsign evidence pull", () => {
  test("brings each signed document's files into a folder of its own, and a manifest with their hashes", async () => {
    const [first = 0] = signed(3);
    sandbox.seed({ documents: [{ name: "New", folder: "Leases", invitations: [{ email: "ana@example.com" }] }] });
    const { code, out } = await pull();
    expect(out).toContain("3 new, 0 there already\nevidence: 3 documents\n");
    expect(code).toBe(0);
    expect(readdirSync(pathOf(first)).sort()).toEqual([
      "certificate-btc.pdf",
      "certificate-eth.pdf",
      "constancia.asn1",
      "evidence.json",
      "original.pdf",
      "signed.pdf",
    ]);
    const { "manifest.json": own, ...files } = tree(pathOf());
    expect(out).toContain(`sha256 of manifest.json: ${own}\n`);
    const { documents } = JSON.parse(manifest().toString());
    const named = documents.flatMap((each: { documentId: string; files: { fileName: string; sha256: string }[] }) =>
      each.files.map(({ fileName, sha256 }) => [`${each.documentId}/${fileName}`, sha256]),
    );
    expect(Object.fromEntries(named)).toEqual(files);
  });

  test("downloads nothing that is there, and brings what has come since", async () => {
    const [first = 0] = sandbox.seed({
      folders: [{ name: "Leases" }],
      documents: [{ name: "Lease", folder: "Leases", signed: "all", invitations: [{ email: "ana@example.com" }] }],
    });
    signed(2);
    await pull();
    const before = tree(pathOf());
    const downloads = count(isDownload);
    expect((await pull()).out).toContain("0 new, 3 there already\n");
    expect(downloads()).toBe(0);
    expect(tree(pathOf())).toEqual(before);
    sandbox.certify(first, "all");
    expect((await pull()).out).toContain("1 new, 2 there already\n");
    expect(readdirSync(pathOf(first))).toContain("constancia.asn1");
    expect((await verify()).code).toBe(0);
  });

  test("pulls a range of days, and keeps what earlier pulls brought", async () => {
    signed(1);
    await pull();
    sandbox.seed({ documents: [{ name: "Other", signed: "all", invitations: [{ email: "bob@example.com" }] }] });
    // The service's day may be the one before or after ours.
    const dayIn = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    const { code, out } = await docsign(["evidence", "pull", "--from", dayIn(-1), "--to", dayIn(1), "-o", "evidence"]);
    expect(out).toContain("1 new, 1 there already\nevidence: 2 documents\n");
    expect(code).toBe(0);
    expect((await pull()).out).toContain("evidence: 2 documents\n");
  });

  test("pulls the documents of a stack's state, those of sets too, from the service that its settings name", async () => {
    const [first = 0, second = 0] = signed(3);
    const resources = [
      { urn: "urn:a", type: "docsign:index:Document", id: String(first) },
      { urn: "urn:b", type: "docsign:index:DocumentSet", id: "set-1", outputs: { documentIds: [String(second)] } },
      { urn: "urn:c", type: "docsign:index:Folder", id: "9" },
    ];
    const config = { "docsign:baseUrl": { value: sandbox.url }, "docsign:apiKey": { value: sandbox.apiKey } };
    writeFileSync(join(folder, "export.json"), JSON.stringify({ deployment: { resources } }));
    writeFileSync(join(folder, "config.json"), JSON.stringify(config));
    const script = `#!/bin/sh\ncase $1 in config) cat "${folder}/config.json" ;; *) cat "${folder}/export.json" ;; esac\n`;
    writeFileSync(join(folder, "pulumi"), script, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env["PATH"]}`, DOCSIGN_BASE_URL: "", DOCSIGN_API_KEY: "" };
    const { code, out } = await docsign(["evidence", "pull", "--stack", "prod", "-o", "evidence"], { env });
    expect([code, out]).toEqual([0, expect.stringContaining("2 new, 0 there already\n")]);
    expect(readdirSync(pathOf()).sort()).toEqual([String(first), String(second), "manifest.json"]);
  });

  test("one document that fails stops none, and the next run brings it", async () => {
    const [first = 0] = signed(3);
    sandbox.faults.next({ kind: "status", status: 404, times: "always", match: { path: `/v1/documents/${first}` } });
    const failing = await pull();
    expect(failing.code).toBe(1);
    expect(failing.out).toContain("2 new, 0 there already, 1 failed\n");
    expect(failing.err).toContain(`docsign: document ${first}: `);
    sandbox.faults.clear();
    expect((await pull()).out).toContain("1 new, 2 there already\n");
  });

  test("a download that breaks off half-way is begun anew", async () => {
    signed(1);
    sandbox.faults.next({ kind: "reset", at: "mid-body", times: 2, match: { route: "signedPdf" } });
    const { code, out } = await pull();
    expect([code, out]).toEqual([0, expect.stringContaining("1 new, 0 there already\n")]);
    expect((await verify()).code).toBe(0);
  });

  test("is ended by Ctrl-C, and goes on from there", async () => {
    signed(6);
    const stop = new AbortController();
    count(isDownload, seen => {
      if (seen === 9) stop.abort();
    });
    const { code, err } = await docsign(["evidence", "pull", "--folder", leases(), "-o", "evidence"], {
      signal: stop.signal,
    });
    expect([code, err]).toEqual([1, expect.stringContaining("interrupted. What came is kept")]);
    sandbox.faults.clear();
    await pull();
    expect((await verify()).out).toContain("6 documents, 36 files: every file is the one that was pulled\n");
  });

  test("evidence that the service gives otherwise now stays as it was, and is named", async () => {
    const [first = 0] = signed(1);
    await pull();
    const before = tree(pathOf());
    sandbox.faults.next({
      ...{ kind: "rewrite", times: "always", match: { route: "getDocument" } },
      rewrite: body => body.replace(/"adv_str_constance":"[^"]*"/, '"adv_str_constance":null'),
    });
    const { code, err } = await pull();
    expect(code).toBe(1);
    expect(err).toContain(`${first}/constancia.asn1: the service has none any more, so nothing`);
    expect(tree(pathOf())).toEqual(before);
    expect((await verify()).code).toBe(0);
  });

  test("a file that was changed on the disk comes anew", async () => {
    const [first = 0] = signed(2);
    await pull();
    const before = tree(pathOf());
    writeFileSync(pathOf(first, "evidence.json"), "{}");
    rmSync(pathOf(first, "signed.pdf"));
    expect((await verify()).code).toBe(1);
    expect((await pull()).out).toContain("1 new, 1 there already\n");
    expect(tree(pathOf())).toEqual(before);
  });

  test("a folder with anything else in it is refused, and so is another service's", async () => {
    signed(1);
    await pull();
    writeFileSync(pathOf("notes.txt"), "");
    expect((await pull()).err).toContain('or one of an earlier pull, got one with "notes.txt"');
    rmSync(pathOf("notes.txt"));
    const other = sandbox;
    sandbox = await startSandbox();
    signed(1);
    expect((await pull()).err).toContain(`expected the evidence of ${sandbox.url}, got that of ${other.url}`);
    await other.close();
  });

  test.each([
    [["evidence"], "evidence: expected pull, got none"],
    [["evidence", "pull", "--folder", "7"], "expected -o FOLDER, got none"],
    [["evidence", "pull", "-o", "x"], "expected --stack NAME, --folder ID, or --from DAY --to DAY, got none"],
    [["evidence", "pull", "-o", "x", "--folder", "../7"], "--folder: expected a folder's id, got ../7"],
    [["evidence", "pull", "-o", "x", "--from", "2027-02-30", "--to", "2027-03-01"], "--from: expected a day such as"],
    [["evidence", "pull", "-o", "x", "--from", "2027-03-01", "--to", "2027-02-01"], "--to: expected a day not before"],
    [["evidence", "pull", "-o", "x", "--stack", "s", "--folder", "7"], "expected --stack alone"],
    [["verify"], "verify: expected one folder, got none"],
    [["verify", "x", "--sha256", "abc"], "--sha256: expected 64 hex digits, got abc"],
  ])("%j is a wrong flag", async (args, message) => {
    const { code, err } = await docsign(args);
    expect([code, err]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("docsign verify", () => {
  test("finds one changed bit in any file, wherever the folder is, without the service", async () => {
    signed(2);
    await pull();
    await sandbox.close();
    renameSync(pathOf(), join(folder, "moved"));
    expect((await verify("moved")).code).toBe(0);
    for (const name of Object.keys(tree(join(folder, "moved")))) {
      if (name === "manifest.json") continue;
      cpSync(join(folder, "moved"), join(folder, "copy"), { recursive: true });
      const path = join(folder, "copy", name);
      const bytes = readFileSync(path);
      const at = Math.floor(bytes.length / 2);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFileSync(path, bytes);
      const { code, out } = await verify("copy");
      expect([code, out]).toEqual([1, expect.stringContaining(`${name}: expected SHA-256 `)]);
      rmSync(join(folder, "copy"), { recursive: true });
    }
  });

  test("finds one changed bit in the manifest, also where nobody kept its hash", async () => {
    signed(1);
    await pull();
    const manifest = readFileSync(pathOf("manifest.json"));
    const unseen: string[] = [];
    for (const at of manifest.keys()) {
      const changed = Buffer.from(manifest);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 7));
      writeFileSync(pathOf("manifest.json"), changed);
      if ((await verify()).code === 0) unseen.push(changed.subarray(Math.max(0, at - 20), at + 20).toString());
    }
    expect(unseen).toEqual([]);
  });

  test("finds a missing file, an added one and one in another's place", async () => {
    const [first = 0, second = 0] = signed(2);
    await pull();
    rmSync(pathOf(first, "signed.pdf"));
    rmSync(pathOf(second, "signed.pdf"));
    symlinkSync(pathOf(second, "original.pdf"), pathOf(second, "signed.pdf"));
    writeFileSync(pathOf(first, "more.pdf"), "");
    writeFileSync(pathOf(".hidden"), "");
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toContain(`${first}/signed.pdf: is missing\n`);
    expect(out).toContain(`${first}/more.pdf: isn't in the manifest\n`);
    expect(out).toContain(`${second}/signed.pdf: expected a file, got a folder or a link\n`);
    expect(out).toContain(".hidden: isn't in the manifest\n");
    expect(out).toContain(": 4 things found\n");
  });

  test("reads no manifest through a link, and waits at no pipe", async () => {
    signed(1);
    await pull();
    rmSync(pathOf("manifest.json"));
    for (const make of [
      () => symlinkSync("/dev/zero", pathOf("manifest.json")),
      () => spawnSync("mkfifo", [pathOf("manifest.json")]),
      () => mkdirSync(pathOf("manifest.json")),
    ]) {
      make();
      const expected = [1, expect.stringContaining("manifest.json: expected a file, got something else")];
      const [checked, pulled] = [await verify(), await pull()];
      expect([checked.code, checked.err]).toEqual(expected);
      expect([pulled.code, pulled.err]).toEqual(expected);
      rmSync(pathOf("manifest.json"), { recursive: true });
    }
  });

  test("takes no link for a document's folder, and writes through none", async () => {
    const [first = 0] = signed(1);
    await pull();
    renameSync(pathOf(first), join(folder, "elsewhere"));
    symlinkSync(join(folder, "elsewhere"), pathOf(first));
    const checked = await verify();
    expect([checked.code, checked.out]).toEqual([
      1,
      expect.stringContaining(`${first}: expected a folder, got a file or a link\n`),
    ]);
    rmSync(join(folder, "elsewhere", "signed.pdf"));
    expect((await pull()).err).toContain(`${first}: expected a folder, got a file or a link`);
    expect(readdirSync(join(folder, "elsewhere"))).not.toContain("signed.pdf");
  });

  test("finds a manifest that was changed with its files, by the hash that was kept elsewhere", async () => {
    signed(1);
    const { out } = await pull();
    const [, hash = ""] = /sha256 of manifest.json: (\w+)/.exec(out) ?? [];
    expect((await verify("evidence", "--sha256", hash)).code).toBe(0);
    writeFileSync(pathOf("manifest.json"), `${manifest()}\n`);
    expect((await verify()).code).toBe(0);
    const found = await verify("evidence", "--sha256", hash);
    expect([found.code, found.out]).toEqual([1, expect.stringContaining("manifest.json: expected SHA-256 ")]);
  });

  test("a manifest that names a path elsewhere is no manifest", async () => {
    signed(1);
    await pull();
    writeFileSync(pathOf("manifest.json"), manifest().toString().replace("original.pdf", "../../original.pdf"));
    const { code, err } = await verify();
    expect([code, err]).toEqual([1, expect.stringContaining("expected the manifest of a pull, got something else")]);
  });

  test("writes a page to print that loads nothing, and none into the evidence", async () => {
    const [first = 0] = signed(1);
    await pull();
    expect((await verify("evidence", "--html", "page.html")).code).toBe(0);
    const page = readFileSync(join(folder, "page.html"), "utf8");
    expect(page).toContain("<h1>Evidence of 1 document: unchanged</h1>");
    expect(page).toContain(`<td>${first} <bdi>Lease 0</bdi></td><td>unchanged, complete</td>`);
    expect(page).not.toMatch(/<script|src=|https?:\/\/(?!127\.0\.0\.1)/);
    expect((await verify("evidence", "--html", "evidence/page.html")).err).toContain(
      "expected a file outside evidence",
    );
  });

  // openssl stands in for the authority that signs time stamps.
  test.skipIf(!hasOpenssl())("reads the time stamps, and finds one whose signature is another's", async () => {
    using tsa = new Tsa();
    const [first = 0] = signed(1);
    let token: Buffer = Buffer.alloc(0);
    const stamp = (body: string) =>
      body.replace(/"adv_str_constance":"[^"]*"/, `"adv_str_constance":"${token.toString("base64")}"`);
    sandbox.faults.next({ kind: "rewrite", times: "always", match: { route: "getDocument" }, rewrite: stamp });
    await pull("first");
    const pdf = readFileSync(join(folder, "first", String(first), "signed.pdf"));
    token = tsa.stamp(pdf);
    await pull();
    const { code, out } = await verify("evidence", "--html", "page.html");
    expect(out).toContain("1 time stamp fits its documents");
    expect(code).toBe(0);
    expect(readFileSync(join(folder, "page.html"), "utf8")).toContain("by <bdi>C=MX, O=Sandbox TSA, CN=TSA Uno</bdi>");
    // A signature with one bit changed, in evidence that was pulled so.
    const forged = Buffer.from(token);
    const last = forged.length - 1;
    forged[last] = (forged[last] ?? 0) ^ 1;
    token = forged;
    await pull("forged");
    const found = await verify("forged");
    expect([found.code, found.out]).toEqual([1, expect.stringContaining("its signature doesn't fit the certificate")]);
  });
});

test(`${MANY} documents come whole, while the service fails and the command is killed again and again`, async () => {
  signed(MANY);
  const stops = daily([0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9], 3, String)
    .toSorted()
    .map(part => Math.floor(part * MANY * 4));
  let puller: ReturnType<typeof spawn> | undefined;
  let kills = 0;
  const seen = count(isDownload, downloads => {
    if (downloads !== stops[kills]) return;
    kills++;
    puller?.kill("SIGKILL");
  });
  let requests = 0;
  const every = (nth: number) => ({ where: () => ++requests % nth === 0 });
  sandbox.faults.next({ kind: "status", status: 503, times: "always", match: every(11) });
  sandbox.faults.next({ kind: "reset", at: "mid-body", times: "always", match: every(13) });
  const program = [join(import.meta.dirname, "fixtures/puller.ts"), "evidence", "pull", "--folder", leases(), "-o"];
  for (let runs = 0; ; runs++) {
    const child = spawn(process.execPath, ["--import", "tsx", ...program, join(folder, "evidence")], {
      env: { ...process.env, ...settings() },
      stdio: "ignore",
    });
    puller = child;
    const code = await new Promise(resolve => child.once("exit", resolve));
    if (code === 0) break;
    expect(runs).toBeLessThan(stops.length + 20);
  }
  expect(kills).toBe(stops.length);
  expect(seen()).toBeGreaterThanOrEqual(MANY * 4);
  await sandbox.close();
  renameSync(pathOf(), join(folder, "elsewhere"));
  const { code, out } = await verify("elsewhere");
  expect(out).toContain(
    `${MANY.toLocaleString("en")} documents, ${(MANY * 6).toLocaleString("en")} files: every file is the one`,
  );
  expect(code).toBe(0);
});
