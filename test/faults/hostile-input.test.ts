import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Archive, Asset, type Values } from "../../kit/values.js";
import { parseBaseUrl } from "../../provider/client/transport.js";
import { configProblems } from "../../provider/config.js";
import { documentsIn } from "../support/documents.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { startMachine } from "../support/machine.js";
import { cell } from "./support/cells.js";
import { ANA, nda, sawOf, startRig } from "./support/rig.js";

const CANARY = "canary-content";
const good: Values = {
  name: "NDA",
  invitations: [{ email: "ana@example.com" }],
  base64File: Buffer.from("%PDF-1.4\nfine\n").toString("base64"),
};

const inputs: Record<string, (folder: string) => Values> = {
  "name of 1 MB": () => ({ name: "n".repeat(1_000_000) }),
  "name with half a surrogate pair": () => ({ name: "NDA \uD83D" }),
  "empty name": () => ({ name: "" }),
  "folder id with traversal": () => ({ folderId: "../users/api_key" }),
  "folder id with a query": () => ({ folderId: "12?x=1" }),
  "folder id with CR/LF": () => ({ folderId: "1\r\n2" }),
  "folder id in other digits": () => ({ folderId: "١٢" }),
  "address that is none": () => ({ invitations: [{ email: "ana@example.com\r\nBcc: all" }] }),
  "stage that is no number": () => ({ invitations: [{ email: "ana@example.com", stage: "1" }] }),
  "nobody invited": () => ({ invitations: [] }),
  "parameters that speak for a known field": () => ({ extraParameters: { base64_file: CANARY } }),
  "base64 of something else": () => ({ base64File: Buffer.from(CANARY).toString("base64") }),
  "base64 cut off": () => ({ base64File: "JVBER" }),
  "text that is no base64": () => ({ base64File: `%${CANARY}%` }),
  "a data URI of another kind": () => ({ base64File: "data:text/html;base64,JVBERi0x" }),
  "a mark instead of a PDF": () => ({ base64File: `sha256:${"a".repeat(64)}` }),
  "file asset: a directory": folder => {
    mkdirSync(join(folder, "directory"));
    return { file: new Asset({ path: join(folder, "directory"), hash: "a".repeat(64) }) };
  },
  "file asset: a device": () => ({ file: new Asset({ path: "/dev/zero", hash: "a".repeat(64) }) }),
  "file asset: missing": folder => ({ file: new Asset({ path: join(folder, "missing.pdf"), hash: "a".repeat(64) }) }),
  "file asset: empty": folder => {
    writeFileSync(join(folder, "empty.pdf"), "");
    return { file: new Asset({ path: join(folder, "empty.pdf"), hash: "a".repeat(64) }) };
  },
  "file asset: not a PDF": folder => {
    writeFileSync(join(folder, "text.pdf"), CANARY);
    return { file: new Asset({ path: join(folder, "text.pdf"), hash: "a".repeat(64) }) };
  },
  "string asset: not a PDF": () => ({ file: new Asset({ text: CANARY, hash: "a".repeat(64) }) }),
  "an archive": () => ({ file: new Archive("a".repeat(64)) }),
  "a remote asset of another scheme": () => ({ file: new Asset({ uri: "gopher://x/y.pdf", hash: "a".repeat(64) }) }),
};

/** The interface allows any text. */
const ODD_NAMES = { "CR/LF": "NDA\r\nX-Evil: 1", "a bidi override": "NDA \u202Efdp.exe", NUL: "NDA\0" };

test.for(Object.entries(ODD_NAMES))(
  "a name with %s is sent as it is, and messages show it escaped",
  async ([what, name], context) => {
    await using rig = await startRig();
    cell(context, { matrix: "F", row: `name with ${what}`, column: "up" }, rig);
    const wanted = nda({ name });
    const { frontEnd, run } = rig.process();
    const { inputs } = await frontEnd.check(frontEnd.urn(wanted), undefined, wanted.inputs);
    await frontEnd.create(frontEnd.urn(wanted), inputs, true);
    rig.read.push(...run.lines.map(({ text }) => text));
    await run.end();
    expect((await rig.up([wanted])).errors).toEqual({});
    expect((await rig.up([wanted])).errors).toEqual({});
    rig.service.people.sign(rig.idOf("nda") ?? "", ANA);
    expect((await rig.up([nda({ name: `${name}!` })])).errors["nda"]).toContain("[docsign/replace-signed]");
    expect(rig.service.ledger.documents().map(document => document.name)).toEqual([name]);
    expect(rig.read.join("\n")).toContain("NDA");
    expect(rig.read.join("\n")).not.toMatch(/[\0\r\u202E]/);
    expect(rig.read.join("\n")).not.toMatch(/^X-Evil/m);
  },
);

test("one address twice in a stage is a warning: the service mails each invitation", async context => {
  await using rig = await startRig();
  cell(context, { matrix: "F", row: "one address twice in a stage", column: "Check" }, rig);
  const { frontEnd, run } = rig.process();
  const wanted = nda({ invitations: [{ email: "ana@example.com" }, { email: "ANA@example.com" }] });
  expect((await frontEnd.check(frontEnd.urn(wanted), undefined, wanted.inputs)).failures).toEqual([]);
  expect(run.lines).toEqual([{ severity: "warn", text: expect.stringContaining("twice in the same stage") }]);
  expect(rig.saw()).toMatchObject({ requests: 0 });
  await run.end();
});

describe("hostile input is a clear error, and nothing is sent", () => {
  test.for(Object.entries(inputs))("%s", async ([what, hostile], context) => {
    await using service = await startIndependentService();
    using machine = startMachine();
    await using run = machine.run({ baseUrl: service.url, apiKey: service.apiKey });
    cell(context, { matrix: "F", row: what, column: "Check" }, { saw: () => sawOf(service.ledger) });
    const given = hostile(machine.folder);
    const { base64File: _, ...withoutPdf } = good;
    const news: Values = { ...("file" in given ? withoutPdf : good), ...given };
    const { failures } = await documentsIn(run.runtime.context).check(run.call("nda"), {
      olds: undefined,
      news,
    });
    expect(failures).toHaveLength(1);
    expect(failures[0]?.reason).toMatch(/expected|is not a PDF/);
    expect(failures[0]?.reason.length).toBeLessThan(500);
    expect(failures[0]?.reason).not.toContain(CANARY);
    expect(failures[0]?.reason).not.toMatch(/[\r\n\u202E]/);
    expect(service.ledger.requests()).toEqual([]);
  });

  test.for([
    ["plain http elsewhere", "http://sign.example.com"],
    ["a user and password", "https://user:canary-content@sign.example.com"],
    ["a query", "https://sign.example.com/?key=1"],
    ["another scheme", "ftp://sign.example.com"],
    ["loopback by name only", "http://localhost.evil.example"],
    ["CR/LF", "https://sign.example.com\r\nX: 1"],
    ["no URL at all", "sign here"],
  ] as const)("a base URL with %s", ([what, baseUrl], context) => {
    cell(context, { matrix: "F", row: `base URL: ${what}`, column: "CheckConfig" }, undefined);
    const wrong = (text: string): string | null => {
      try {
        parseBaseUrl(text);
        return null;
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
    };
    const problems = configProblems({ baseUrl, apiKey: "key" }, {}, wrong);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.reason).toMatch(/^docsign:baseUrl.*pulumi config set docsign:baseUrl/s);
    expect(problems[0]?.reason).not.toContain(CANARY);
  });
});
