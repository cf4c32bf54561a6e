import { describe, expect, it } from "vitest";
import { movedStates, type State } from "../../commands/fleet/state-rows.js";

const row = (id: string, status = "unsigned") => ({ documentId: id, status, pendingSigners: [`${id}@example.com`] });

const urn = (stack: string, type: string, name: string) => `urn:pulumi:${stack}::leases::${type}::${name}`;

/** A stack with a set, its provider, and a folder that the set is in. */
function stateOf(stack: string, documents: Record<string, ReturnType<typeof row>>, more: object = {}): State {
  const holder = urn(stack, "pulumi:pulumi:Stack", "s");
  const provider = urn(stack, "pulumi:providers:docsign", "default");
  const folder = urn(stack, "docsign:index:Folder", "f");
  const outputs = {
    documents,
    documentIds: Object.values(documents).map(({ documentId }) => documentId),
    waitingFor: Object.entries(documents).map(([key, { pendingSigners }]) => ({ key, email: pendingSigners[0] })),
    summary: { total: Object.keys(documents).length, unsigned: 0, partiallySigned: 0, signed: 0, forgotten: 2 },
    kept: ["a"],
    drift: [],
    service: "https://api.example.com",
    ...more,
  };
  return {
    version: 3,
    deployment: {
      manifest: {},
      secrets_providers: { type: "passphrase" },
      resources: [
        { urn: holder, type: "pulumi:pulumi:Stack", custom: false },
        { urn: provider, type: "pulumi:providers:docsign", custom: true, parent: holder },
        { urn: folder, type: "docsign:index:Folder", custom: true, parent: holder },
        {
          ...{ urn: urn(stack, "docsign:index:DocumentSet", "set"), type: "docsign:index:DocumentSet", custom: true },
          ...{ parent: holder, provider: `${provider}::1`, dependencies: [folder], inputs: { key: "{{id}}" }, outputs },
        },
      ],
    },
  };
}

const rowsIn = (state: State | undefined): string[] =>
  (state?.deployment.resources ?? []).flatMap(({ outputs }) => Object.keys((outputs?.["documents"] as object) ?? {}));

describe("rows that change their stack", () => {
  const states = new Map([
    ["l-0", stateOf("l-0", { a: row("1"), b: row("2", "signed"), c: row("3") })],
    ["l-1", stateOf("l-1", { d: row("4"), e: row("5") })],
  ]);
  const homes: Record<string, string> = { a: "l-0", b: "l-2", c: "l-1", d: "l-2", e: "l-1" };
  const moved = movedStates(states, key => homes[key] ?? "");

  it("are in the order in which the provider writes them", () => {
    const one = new Map([["l-0", stateOf("l-0", { p1: row("1"), p10: row("10"), p2: row("2") })]]);
    expect(rowsIn(movedStates(one, () => "l-1").get("l-1"))).toEqual(["p1", "p2", "p10"]);
  });

  it("are in one state each, with their ids, people and sums", () => {
    expect([...moved].map(([name, state]) => [name, rowsIn(state)])).toEqual([
      ["l-0", ["a"]],
      ["l-1", ["c", "e"]],
      ["l-2", ["b", "d"]],
    ]);
    const set = moved.get("l-2")?.deployment.resources?.find(({ type }) => type.endsWith("DocumentSet"));
    expect(set?.outputs).toMatchObject({
      documentIds: ["2", "4"],
      waitingFor: [
        { key: "b", email: "2@example.com" },
        { key: "d", email: "4@example.com" },
      ],
      summary: { total: 2, unsigned: 1, partiallySigned: 0, signed: 1 },
      kept: [],
    });
    expect(moved.get("l-0")?.deployment.resources?.at(-1)?.outputs?.["kept"]).toEqual(["a"]);
  });

  it("a new stack gets the set and what holds it, and nothing else that a program has", () => {
    expect(
      moved.get("l-2")?.deployment.resources?.map(each => [each.urn, each.parent, each.provider, each.dependencies]),
    ).toEqual([
      [urn("l-2", "pulumi:pulumi:Stack", "s"), undefined, undefined, []],
      [urn("l-2", "pulumi:providers:docsign", "default"), urn("l-2", "pulumi:pulumi:Stack", "s"), undefined, []],
      [
        urn("l-2", "docsign:index:DocumentSet", "set"),
        urn("l-2", "pulumi:pulumi:Stack", "s"),
        `${urn("l-2", "pulumi:providers:docsign", "default")}::1`,
        [],
      ],
    ]);
    expect(moved.get("l-2")?.deployment).not.toHaveProperty("secrets_providers");
  });

  it("moving again moves nothing, and half a move is finished", () => {
    expect(movedStates(moved, key => homes[key] ?? "")).toEqual(moved);
    const half = new Map([...states, ["l-2", moved.get("l-2") as State]]);
    const finished = movedStates(half, key => homes[key] ?? "");
    expect([...finished].map(([name, state]) => [name, rowsIn(state)])).toEqual([
      ["l-0", ["a"]],
      ["l-1", ["c", "e"]],
      ["l-2", ["b", "d"]],
    ]);
  });

  it("a set whose rows are secret is refused", () => {
    const secret = new Map([["l-0", stateOf("l-0", {}, { documents: { "4dabf18193072939515e22adb298388d": "x" } })]]);
    expect(() => movedStates(secret, () => "l-1")).toThrow(
      /expected the set's documents in the open, got a secret or none/,
    );
  });
});
