import { describe, expect, test } from "vitest";
import { documentsOf } from "../../commands/board/documents.js";
import { readExport } from "../../commands/board/state.js";
import { decode, encode } from "../../kit/codec.js";
import type { Value, Values } from "../../kit/values.js";
import { parseBaseUrl } from "../../provider/client/transport.js";
import { configProblems, settingsFrom } from "../../provider/config.js";
import { outputsOf, stateIn } from "../../provider/resources/document-set/declaration.js";
import { startSandbox } from "../../sandbox/index.js";
import { failure } from "../client/setup.js";
import { NASTY_TEXTS } from "./values.js";

const RAW = /[\p{Cc}\p{Cs}\u202e]/u;
const LONG = "x".repeat(1_000_000);
const numbered = [...NASTY_TEXTS, LONG].map((text, index) => [index, JSON.stringify(text).slice(0, 40), text] as const);

const nested = (depth: number): Value => {
  let value: Value = 1;
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? [value] : { a: value };
  return value;
};

const wrongWith = (text: string): string | null => {
  try {
    parseBaseUrl(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

describe("a setting, and a variable of the environment", () => {
  test.for(numbered)("with nasty text %i, %s, is taken or refused in lines that can be read", ([, , text]) => {
    for (const name of ["baseUrl", "apiKey", "email", "journal", "requestTimeout", "duplicatePolicy", text]) {
      const problems = configProblems({ baseUrl: "https://api.example.com", apiKey: "k", [name]: text }, {}, wrongWith);
      for (const { reason } of problems) {
        expect(reason.replaceAll("\n", "")).not.toMatch(RAW);
        expect(reason.length).toBeLessThan(2_000);
      }
    }
    for (const variable of ["DOCSIGN_BASE_URL", "DOCSIGN_API_KEY", "DOCSIGN_EMAIL", "DOCSIGN_JOURNAL"]) {
      const env = { DOCSIGN_BASE_URL: "https://api.example.com", DOCSIGN_API_KEY: "k", [variable]: text };
      for (const line of settingsFrom({}, env).obstacles) expect(line.replaceAll("\n", "")).not.toMatch(RAW);
    }
  });
});

describe("a set's state", () => {
  test.each<[string, Values]>([
    ["nothing", {}],
    ["texts", { documents: "x", summary: "x", drift: "x", service: 1 }],
    ["lists", { documents: [], summary: [], drift: [1, null, "a"], service: [] }],
    ["rows that are none", { documents: { a: 1, b: null, c: [], d: "x" } }],
  ])("that holds %s is a set without rows", (_what, outputs) => {
    expect(stateIn(outputs).rows.size).toBe(0);
  });

  test("keeps rows of any key through the codec", () => {
    const row = { documentId: "1", status: "unsigned", pendingSigners: [], content: "." };
    const documents = Object.fromEntries(NASTY_TEXTS.map(key => [key.toWellFormed(), row]));
    const { "4dabf18193072939515e22adb298388d": _mark, ...kept } = documents;
    const outputs = outputsOf(stateIn(decode(encode({ documents: kept })).values));
    expect(Object.keys(outputs["documents"] as Values).toSorted()).toEqual(Object.keys(kept).toSorted());
  });
});

describe("values nested 10,000 deep", () => {
  test("in a stack's export hide nothing else from the board", () => {
    const resource = (name: string, more: object) => ({
      urn: `urn:pulumi:dev::p::docsign:index:Document::${name}`,
      type: "docsign:index:Document",
      outputs: { documentId: "1", name, status: "unsigned", ...more },
    });
    const resources = [resource("deep", { x: nested(10_000) }), resource("plain", {})];
    const state = readExport({ version: 3, deployment: { resources } });
    expect(documentsOf(state.resources).map(({ resource }) => resource)).toEqual(["deep", "plain"]);
  });
});

describe("a sandbox's seed", () => {
  test.for(numbered)("with nasty text %i, %s, is stored as it is or refused in a line", async ([, , text]) => {
    const scenario = {
      folders: [{ name: text }],
      documents: [{ name: text, folder: text, invitations: [{ email: "ana@example.com", name: text }] }],
    };
    const started = startSandbox({ scenario });
    const error = await Promise.race([started.then(() => undefined), failure(started).catch(() => undefined)]);
    if (error) expect(error.message.length).toBeLessThan(1_000);
    else await (await started).close();
  });
});
