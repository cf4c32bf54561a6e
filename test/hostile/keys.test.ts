import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import { documentsOf } from "../../commands/board/documents.js";
import { statusMark } from "../../commands/board/page/contracts.js";
import { readPreview } from "../../commands/board/preview.js";
import { readExport } from "../../commands/board/state.js";
import { movedStates, stateSchema } from "../../commands/fleet/state-rows.js";
import { decode, encode } from "../../kit/codec.js";
import { Asset, type Values } from "../../kit/values.js";
import { decode as decodeRaw } from "../../sdk/dynamic/encoding.js";
import { DocumentSet } from "../../sdk/index.js";
import { renderTemplate } from "../../sdk/templates/index.js";
import { base64, scene } from "../lifecycle/scene.js";
import { open } from "../sdk/support/scene.js";
import { printed } from "../templates/support.js";
import { PROTOTYPE_NAMES } from "./values.js";

const ENGINE_MARK = "4dabf18193072939515e22adb298388d";
const SET = "docsign:index:DocumentSet";
const named = <T>(value: (name: string) => T): Record<string, T> =>
  Object.fromEntries(PROTOTYPE_NAMES.map(name => [name, value(name)]));
const addressOf = (key: string) => `${key.replaceAll("_", "")}@example.com`;

describe("keys that are names of an object's members", () => {
  test("come back from the plugin's codec, and aren't there where nobody sent them", () => {
    const values: Values = { rows: named(name => ({ name })) };
    const { values: back } = decode(encode(values));
    expect(Object.keys(back["rows"] as Values).toSorted()).toEqual(PROTOTYPE_NAMES.toSorted());
    expect(back).toEqual(values);
    const { values: empty } = decode(encode({ rows: {} }));
    for (const name of PROTOTYPE_NAMES) expect((empty["rows"] as Values)[name]).toBeUndefined();
  });

  test("come back from the dynamic provider's host as far as it hands them over", () => {
    const raw = JSON.parse(JSON.stringify({ rows: named(name => ({ name })) }));
    expect(Object.keys(decodeRaw(raw)["rows"] as Values).toSorted()).toEqual(PROTOTYPE_NAMES.toSorted());
  });

  test("are rows of a dynamic set, but for the one that state would lose: Check refuses that, and nobody is mailed", async () => {
    const table = (keys: readonly string[]) => ({
      table: {
        [ENGINE_MARK]: "c44067f5952c0a294b673a41bacd8c17",
        text: `key,email\n${keys.map(key => `${key},${addressOf(key)}\n`).join("")}`,
      },
      key: "{{key}}",
      defaults: { name: "NDA", base64File: base64("one"), invitations: [{ email: "{{email}}" }] },
    });
    await using s = await open();
    const host = s.host();
    await expect(host.create(host.program("ndas", table(PROTOTYPE_NAMES), SET))).rejects.toThrow(
      'line 2: expected a key that Pulumi can keep in state, got "__proto__"',
    );
    expect(s.posts()).toBe(0);
    const others = PROTOTYPE_NAMES.filter(key => key !== "__proto__");
    const entry = await host.create(host.program("ndas", table(others), SET));
    expect(Object.keys(entry.outputs["documents"] as object).toSorted()).toEqual(others.toSorted());
    await host.end();
    const next = s.host();
    expect(await next.diff(entry, next.program("ndas", table(others), SET))).toMatchObject({ changes: false });
    expect(s.posts()).toBe(others.length);
  });

  test("a key that the engine reads as a mark of its own is refused by the plugin's Check, too", async () => {
    await using s = await scene();
    const outcome = await s.stack.up([
      {
        name: "ndas",
        type: SET,
        inputs: {
          table: new Asset({ text: `key,email\n${ENGINE_MARK},ana@example.com\n` }),
          key: "{{key}}",
          defaults: { name: "NDA", base64File: base64("one"), invitations: [{ email: "{{email}}" }] },
        },
      },
    ]);
    expect(outcome.error).toContain(`line 2: expected a key that Pulumi can keep in state, got "${ENGINE_MARK}"`);
    expect(s.sent()).toEqual({ creates: 0, mails: 0 });
  });

  test("a TypeScript program hears that Pulumi's SDK would drop a row", () => {
    const documents = JSON.parse('{"__proto__": {"name": "NDA"}}') as Record<string, object>;
    expect(() => new DocumentSet("ndas", { documents })).toThrow(pulumi.RunError);
    expect(() => new DocumentSet("ndas", { documents })).toThrow('documents["__proto__"]: expected another key');
  });

  test("are variables of a template, and missing where nobody gave them", async () => {
    const markdown = PROTOTYPE_NAMES.map(name => `{{${name}}}`).join(" ");
    const { pdf } = await renderTemplate({ template: { markdown }, variables: named(name => `value of ${name}`) });
    expect(pdf.length).toBeGreaterThan(0);
    await expect(renderTemplate({ template: { markdown } })).rejects.toThrow("{{constructor}} has no variable");
  });

  test("aren't character references", async () => {
    const text = "&constructor; &toString;";
    expect(await printed(text)).toBe(await printed(text.replaceAll("&", "&amp;")));
  });

  test("are types and statuses like any that nobody knows", () => {
    for (const name of PROTOTYPE_NAMES) {
      const urn = `urn:pulumi:a::p::docsign:index:${name}::x`;
      const steps = [{ op: "create", urn, newState: {} }];
      const diagnostics = [{ urn, message: "[docsign/facts mails=1]", severity: "info" }];
      expect(readPreview({ steps, diagnostics }).mails).toEqual([]);
      expect(String(statusMark(name))).toBe(`<b><bdi>${name}</bdi></b>`);
    }
  });

  test("are rows that the fleet moves and the board shows", () => {
    const documents = named(name => ({ documentId: "1", status: "unsigned", name }));
    const resource = {
      ...{ urn: `urn:pulumi:a::p::${SET}::s`, type: SET, custom: true },
      ...{ inputs: { documents: named(() => ({})) }, outputs: { documents } },
    };
    const state = stateSchema.parse(
      JSON.parse(JSON.stringify({ version: 3, deployment: { manifest: {}, resources: [resource] } })),
    );
    const shown = documentsOf(readExport(state).resources).map(({ resource }) => resource);
    expect(shown.toSorted()).toEqual(PROTOTYPE_NAMES.map(name => `s/${name}`).toSorted());
    const moved = movedStates(new Map([["a", state]]), () => "b").get("b")?.deployment.resources?.[0];
    expect(Object.keys(moved?.outputs?.["documents"] as object).toSorted()).toEqual(PROTOTYPE_NAMES.toSorted());
    expect(Object.keys(moved?.inputs?.["documents"] as object).toSorted()).toEqual(PROTOTYPE_NAMES.toSorted());
  });
});
