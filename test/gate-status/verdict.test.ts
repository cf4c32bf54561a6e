import { describe, expect, it } from "vitest";
import { failedIn, verdictOf } from "../../commands/gate-status/verdict.js";

const gate = "urn:pulumi:dev::contracts::docsign:index:SignatureGate::agreed";
const document = "urn:pulumi:dev::contracts::docsign:index:Document::nda";
const stack = "urn:pulumi:dev::contracts::pulumi:pulumi:Stack::contracts-dev";
const WAITS = "document 5001 waits for ana@example.com to sign (0 of 2 signed)";

const failed = (urn: string, type: string) => ({ resOpFailedEvent: { metadata: { urn, type } } });
const said = (urn: string, message: string, severity = "error") => ({ diagnosticEvent: { urn, message, severity } });
const gateFailed = (message: string, type = "docsign:index:SignatureGate") => [failed(gate, type), said(gate, message)];
/** A gate that fails for want of signatures alone says so beside its error. */
const gateStops = (message: string, type?: string) => [
  said(gate, `<{%reset%}>${WAITS} [docsign/facts waits=1&stops=1]<{%reset%}>\n`, "info"),
  ...gateFailed(message, type),
];
const summary = said(stack, "update failed\n");

const verdict = (exitCode: number, ...events: object[]) =>
  verdictOf(exitCode, failedIn(events.map(event => JSON.stringify(event)).join("\n")));

describe("a gate that waits for people alone", () => {
  it.each([
    ["requires", `${WAITS}, and the gate requires it. \`pulumi up\` looks again; \`mode: wait\` would wait.`],
    [
      "has waited as long as it may",
      `${WAITS}, and the 24h to wait for it are over. Longer: the resource option customTimeouts.`,
    ],
  ])("ends with 10 where it %s", (_, message) => {
    expect(verdict(255, ...gateStops(message), summary)).toEqual({ code: 10, waiting: [WAITS], wrong: [] });
  });

  it("ends with 10 behind the dynamic provider, too", () => {
    const message = `Error: ${WAITS}, and the gate requires it. \`pulumi up\` looks again`;
    expect(verdict(255, ...gateStops(message, "pulumi-nodejs:dynamic/docsign:SignatureGate"), summary).code).toBe(10);
  });

  it("ends with 10 for several gates, and names each document once", () => {
    const other = `${gate}-too`;
    const stop = said(other, `${WAITS} [docsign/facts waits=1&stops=1]`, "info");
    const events = [
      stop,
      failed(other, "docsign:index:SignatureGate"),
      said(other, `${WAITS}, and the gate requires it.`),
    ];
    const found = verdict(255, ...gateStops(`${WAITS}, and the gate requires it.`), ...events, summary);
    expect(found).toEqual({ code: 10, waiting: [WAITS], wrong: [] });
  });
});

describe("anything else", () => {
  it("ends with 1 where a document is refused beside a gate that waits", () => {
    const events = [failed(document, "docsign:index:Document"), said(document, "replacing nda is refused\nbecause")];
    const found = verdict(255, ...gateStops(`${WAITS}, and the gate requires it.`), ...events, summary);
    expect(found).toEqual({ code: 1, waiting: [WAITS], wrong: ["nda: replacing nda is refused"] });
  });

  it.each([
    [
      "a gate whose deadline has passed",
      gateFailed("document 5001 wasn't signed by 2027-03-01: ana@example.com is late"),
    ],
    ["a gate that can't ask", gateFailed("GET /v1/documents/5001 answered 503")],
    [
      "a gate that only waited in the preview",
      [said(gate, `${WAITS} [docsign/facts waits=1]`, "info"), ...gateFailed("GET /v1/documents/5001 answered 503")],
    ],
    [
      "a gate whose error has a document's title that looks like facts",
      gateFailed(`${WAITS}, and the gate requires it. [docsign/facts stops=1]`),
    ],
    [
      "a gate that waits and then fails",
      [...gateStops(`${WAITS}, and`), said(gate, "GET /v1/documents/5001 answered 503")],
    ],
    ["a gate without a word", [failed(gate, "docsign:index:SignatureGate")]],
    [
      "another resource that says the same",
      [
        said(document, `${WAITS} [docsign/facts waits=1&stops=1]`, "info"),
        failed(document, "a:b:C"),
        said(document, `${WAITS}, and the gate requires it.`),
      ],
    ],
    ["a program that fails", [said(stack, "Running program failed with an unhandled exception")]],
    ["a Check that fails, which has no failed operation", [said(document, "name: is required")]],
    ["nothing that is known", []],
    ["a passphrase that is wrong, before anything happens", [said("", "error: incorrect passphrase")]],
  ])("ends with 1: %s", (_, events) => {
    const { code, wrong } = verdict(255, ...events, summary);
    expect([code, wrong.length]).toEqual([1, 1]);
  });

  it("ends with 0 where the command went well, whatever was said", () => {
    expect(verdict(0, said(gate, "a warning", "warning"))).toEqual({ code: 0, waiting: [], wrong: [] });
  });
});
