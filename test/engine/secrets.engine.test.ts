import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openScene, type Scene } from "../support/engine/scene.js";

const API_KEY = "canary-of-the-api-key-5d1f";
const PASSWORD = "canary-of-the-password-77c0";
const TITLE = "canary-of-a-secret-title-21b9";
const IN_CONFIG = "canary-inside-a-pdf-in-config-9e02";
const IN_ASSET = "canary-inside-a-string-asset-b3a8";
const CANARIES = { API_KEY, PASSWORD, TITLE, IN_CONFIG, IN_ASSET };

const SECRET = "4dabf18193072939515e22adb298388d";
const pdf = (text: string): string => `%PDF-1.4\n${text}\n%%EOF\n`;
const people = [{ email: "ana@example.com" }];

/** How a canary may look: as it is, in hex, and in base64 at each of the three places it can start at. */
function guises(canary: string): string[] {
  const shifted = [0, 1, 2].map(lead =>
    Buffer.from(" ".repeat(lead) + canary)
      .toString("base64")
      .slice(lead === 0 ? 0 : 4)
      .slice(0, 16),
  );
  return [canary, Buffer.from(canary).toString("hex"), ...shifted];
}

/** Which canaries a text holds. */
const canariesIn = (text: string): string[] =>
  Object.entries(CANARIES).flatMap(([name, canary]) =>
    guises(canary).some(guise => text.includes(guise)) ? [name] : [],
  );

/** Lines in which the engine itself writes what it sends and gets, configuration and secrets included. */
const ENGINES_OWN = /"msg":"(Marshaling property|Unmarshaling property|Planner decided)/;

describe.skipIf(missingEngine)("secrets and content", () => {
  let scene: Scene;
  const texts: Record<string, string> = {};
  let logged = 0;

  beforeAll(async () => {
    scene = await openScene({
      service: { first: { apiKey: API_KEY, password: PASSWORD } },
      env: { DOCSIGN_API_KEY: "" },
      yaml: {
        configuration: { pdf: { type: "String", secret: true }, title: { type: "String", secret: true } },
        resources: {
          hidden: {
            type: "docsign:Document",
            properties: { name: `\${title}`, base64File: `\${pdf}`, invitations: people },
          },
          asset: {
            type: "docsign:Document",
            properties: { name: "Asset", file: { "fn::stringAsset": pdf(IN_ASSET) }, invitations: people },
          },
        },
        outputs: { status: `\${hidden.status}`, sha256: `\${asset.sha256}`, title: `\${hidden.name}` },
      },
    });
    const { stack, service } = scene;
    await stack.configure("docsign:apiKey", API_KEY, { secret: true });
    await stack.configure("contracts:title", TITLE, { secret: true });
    await stack.configure("contracts:pdf", Buffer.from(pdf(IN_CONFIG)).toString("base64"), { secret: true });

    const command = async (name: string, ...args: string[]) => {
      const { stdout, stderr } = await stack.attempt([...args, "-v=9", "--logtostderr"]);
      const lines = stderr.split("\n");
      logged += lines.length;
      texts[`stdout of ${name}`] = stdout;
      texts[`log of ${name}`] = lines.filter(line => !ENGINES_OWN.test(line)).join("\n");
    };
    await command("preview", "preview", "--save-plan", "plan.json");
    texts["plan"] = stack.read("plan.json").toString();
    await command("up", "up", "--yes", "--skip-preview");
    texts["state"] = stack.checkpoint();

    // With a password instead of the key; the key it leads to is the same canary.
    await stack.run(["config", "rm", "docsign:apiKey", "--stack", stack.name]);
    await stack.configure("docsign:email", service.first.email);
    await stack.configure("docsign:password", PASSWORD, { secret: true });
    await command("refresh with a password", "up", "--refresh", "--yes", "--skip-preview");
    texts["state with a password"] = stack.checkpoint();

    // A refusal, for a change of the secret PDF and title; and a failure of each kind.
    service.people.sign(scene.id(0), "ana@example.com");
    service.people.sign(scene.id(1), "ana@example.com");
    await stack.configure("contracts:pdf", Buffer.from(pdf(`${IN_CONFIG} 2`)).toString("base64"), { secret: true });
    await stack.configure("contracts:title", `${TITLE} 2`, { secret: true });
    await command("a refused change", "preview");
    await stack.configure("contracts:pdf", Buffer.from(IN_CONFIG).toString("base64"), { secret: true });
    await command("a PDF that is none", "preview");
    await stack.configure("contracts:pdf", Buffer.from(pdf(IN_CONFIG)).toString("base64"), { secret: true });
    await stack.configure("docsign:password", `${PASSWORD} wrong`, { secret: true });
    await command("a wrong password", "preview");
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  it("are in no state, plan, output or log line of ours", () => {
    expect(logged).toBeGreaterThan(500);
    expect(Object.entries(texts).map(([where, text]) => [where, canariesIn(text)])).toEqual(
      Object.keys(texts).map(where => [where, []]),
    );
  });

  it("are in no file that was left behind", () => {
    const files = ["journal", "home", "state", "tmp"].flatMap(name => filesIn(join(scene.stack.folder, name)));
    expect(files.filter(path => canariesIn(readFileSync(path, "latin1")).length > 0)).toEqual([]);
    expect(files.some(path => path.includes("journal"))).toBe(true);
  });

  it("a secret input is encrypted in state, among inputs and outputs; what isn't secret can be read", async () => {
    const { hidden, asset } = scene.stack.entries();
    const ciphertext = { [SECRET]: "1b47061264138c4ac30d75fd1eb44270", ciphertext: expect.stringMatching(/^v1:/) };
    expect([hidden?.inputs["base64File"], hidden?.inputs["name"], hidden?.outputs["name"]]).toEqual([
      ciphertext,
      ciphertext,
      ciphertext,
    ]);
    expect([asset?.inputs["name"], hidden?.outputs["status"]]).toEqual(["Asset", "unsigned"]);
  });

  it("the commands failed for the expected reasons", () => {
    expect(texts["stdout of a refused change"]).toContain("is signed, so it is not replaced");
    expect(texts["stdout of a PDF that is none"]).toContain("%PDF-");
    expect(texts["stdout of a wrong password"]).toContain("401");
  });
});

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map(path => join(folder, path))
    .filter(path => statSync(path).isFile());
