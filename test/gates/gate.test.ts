import { describe, expect, test } from "vitest";
import { isUnknown, UNKNOWN } from "../../kit/values.js";
import { UserError } from "../../provider/resources/resource.js";
import { mixedDialects } from "../support/independent-service/index.js";
import type { Json } from "../support/independent-service/json.js";
import { GATE, gate, gatesIn, rejection, setStage, staged, textsOf, uploaded } from "./support.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";

describe.each(mixedDialects)("a service of the dialect $name:", ({ settings }) => {
  test("a gate is satisfied once everyone has signed, and not before", async () => {
    await using stage = await setStage(settings.dialect);
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = await staged(stage, { [ANA]: 1, [BOB]: 2 });

    const created = await gates.create(call, { inputs: gate(id) });
    expect(created.id).toBe(id);
    expect(created.outputs["satisfied"]).toBe(false);
    expect(String(created.outputs["pendingSigners"]).toLowerCase()).toBe(`${ANA},${BOB}`);

    service.people.sign(id, ANA);
    const update = { id, oldInputs: gate(id), news: gate(id) };
    const half = await gates.update(call, { ...update, olds: created.outputs });
    expect(half["satisfied"]).toBe(false);
    expect(String(half["pendingSigners"]).toLowerCase()).toBe(BOB);

    service.people.sign(id, BOB);
    const whole = await gates.update(call, { ...update, olds: half });
    expect(whole["satisfied"]).toBe(true);
    expect(whole["pendingSigners"]).toEqual([]);
  });
});

describe("what a gate waits for", () => {
  test("all signed is counted from the signers, whatever the document's status says", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA, BOB);
    service.people.forceStatus(id, "signed");
    expect((await gates.create(call, { inputs: gate(id) })).outputs).toMatchObject({
      satisfied: false,
      status: "signed",
    });
    service.people.signAll(id);
    service.people.forceStatus(id, "unsigned");
    expect((await gates.create(call, { inputs: gate(id) })).outputs["satisfied"]).toBe(true);
  });

  test("a signature of nobody known doesn't count for anyone, until all have signed", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA, BOB);
    service.people.sign(id, ANA);
    const anonymous = (json: Json): Json => {
      const { payload } = json as unknown as { payload: { files: { signers: object[] }[] } };
      for (const signer of payload.files.flatMap(file => file.signers)) {
        Object.assign(signer, { email: undefined, user: { user_id: null }, user_id: null });
      }
      return json;
    };
    service.faults.push({ kind: "edit", edit: anonymous }, "getDocument", { times: 9 });
    const inputs = gate(id, { signers: [ANA] });
    const { outputs } = await gates.create(call, { inputs });
    expect(outputs).toMatchObject({ satisfied: false, pendingSigners: [] });
    expect(textsOf(run).at(-1)).toContain(`waits for the service to say whether ${ANA} signed`);
    service.people.sign(id, BOB);
    const whole = await gates.update(call, { id, olds: outputs, oldInputs: inputs, news: inputs });
    expect(whole).toMatchObject({ satisfied: true, pendingSigners: [] });
  });

  test("a signer's status nobody knows counts as not signed", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const id = uploaded(service, ANA, BOB);
    service.people.signAll(id);
    service.people.forceSignerStatus(id, BOB, "delegated");
    const { outputs } = await gates.create(run.call("gate", { type: GATE }), { inputs: gate(id) });
    expect(outputs).toMatchObject({ satisfied: false, pendingSigners: [BOB] });
  });

  test.each([
    ["nom151", { nom151: true, chain: "requested" }, "the blockchain certificates (requested)", "nom151"],
    ["blockchain", { nom151: false, chain: "sended" }, "the NOM151 certificate", "blockchain"],
  ] as const)("%s is there before the rest is", async (until, what, missing, alone) => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const id = uploaded(service, ANA);
    const before = await gates.create(run.call("gate", { type: GATE }), { inputs: gate(id, { until }) });
    expect(before.outputs["satisfied"]).toBe(false);
    service.people.signAll(id);
    service.people.certify(id, what);
    const after = await gates.create(run.call("gate", { type: GATE }), { inputs: gate(id, { until: alone }) });
    expect(after.outputs["satisfied"]).toBe(true);
    const all = await gates.create(run.call("all", { type: GATE }), { inputs: gate(id, { until: "all" }) });
    expect(all.outputs["satisfied"]).toBe(false);
    expect(textsOf(run).at(-1)).toBe(`document ${id} waits for ${missing}`);
  });

  test("the certificate addresses are those of the signed file", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const id = uploaded(service, ANA);
    service.people.signAll(id);
    service.people.certify(id);
    const { outputs } = await gates.create(run.call("gate", { type: GATE }), { inputs: gate(id, { until: "all" }) });
    const sha256 = service.ledger.documents()[0]?.versions[0]?.sha256Signed;
    expect(outputs).toMatchObject({
      satisfied: true,
      certificates: {
        ready: true,
        btcUrl: `${service.url}/v3/timestamps/${sha256}.pdf`,
        ethUrl: `${service.url}/v3/timestamps/eth/${sha256}.pdf`,
      },
      nom151Ready: true,
      nom151FileName: `document-${id}-v1.asn1`,
    });
    expect(JSON.stringify(outputs)).not.toContain("base64");
  });

  test("a subset of the signers is enough when they have signed; addresses compare in any case", async () => {
    await using stage = await setStage({ inviteeCase: "upper" });
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const id = uploaded(service, ANA, BOB);
    service.people.sign(id, ANA);
    const inputs = gate(id, { signers: ["Ana@Example.com", ANA] });
    expect((await gates.create(run.call("gate", { type: GATE }), { inputs })).outputs).toMatchObject({
      satisfied: true,
      pendingSigners: [],
    });
  });

  test("a signer nobody invited is an error that lists the invited; a secret one isn't named", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const id = uploaded(service, ANA, BOB);
    const inputs = gate(id, { signers: ["eve@example.net", ANA] });
    const error = await rejection(gates.create(run.call("gate", { type: GATE }), { inputs }), UserError);
    expect(error.message).toBe(
      `signers: eve@example.net isn't invited to sign document ${id}. Invited: ${ANA}, ${BOB}.`,
    );
    const secret = run.call("gate", { type: GATE, secrets: new Set(["signers"]) });
    expect((await rejection(gates.create(secret, { inputs }), UserError)).message).not.toContain("eve");
  });
});

describe("previews", () => {
  test("an open gate is no change while the service says what state holds, and says who is missing", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const preview = run.call("gate", { type: GATE, preview: true });
    const id = uploaded(service, ANA, BOB);
    const { outputs } = await gates.create(call, { inputs: gate(id) });
    const args = { id, olds: outputs, oldInputs: gate(id), news: gate(id) };
    const asked = service.ledger.requests().length;

    await gates.check(preview, { news: gate(id) });
    expect((await gates.diff(preview, args)).changes).toBe("none");
    expect(textsOf(run).at(-1)).toBe(`document ${id} waits for ${ANA}, ${BOB} to sign (0 of 2 signed)`);
    expect(service.ledger.requests()).toHaveLength(asked + 1);
  });

  test("an open gate that will change or open is an update, and its preview asks once", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const preview = run.call("gate", { type: GATE, preview: true });
    const id = uploaded(service, ANA, BOB);
    const { outputs } = await gates.create(call, { inputs: gate(id) });
    const args = { id, olds: outputs, oldInputs: gate(id), news: gate(id) };
    const asked = service.ledger.requests().length;

    service.people.sign(id, ANA);
    await gates.check(preview, { news: gate(id) });
    expect(await gates.diff(preview, args)).toMatchObject({ changes: "some", detailed: { satisfied: "update" } });
    const shown = await gates.update(preview, args);
    expect(service.ledger.requests()).toHaveLength(asked + 1);
    expect(textsOf(run).at(-1)).toBe(`document ${id} waits for ${BOB} to sign (1 of 2 signed)`);
    expect(shown).toMatchObject({ satisfied: false, pendingSigners: [BOB], checkedAt: UNKNOWN });

    service.people.sign(id, BOB);
    await gates.check(preview, { news: gate(id) });
    expect(await gates.diff(preview, args)).toMatchObject({ detailed: { satisfied: "update" } });
    expect(await gates.update(preview, args)).toMatchObject({ satisfied: true });
    const done = await gates.update(call, args);
    const count = service.ledger.requests().length;
    const later = { ...args, olds: done };
    await gates.check(preview, { news: gate(id) });
    expect((await gates.diff(preview, later)).changes).toBe("none");
    expect(await gates.update(preview, { ...later, news: gate(id, { mode: "wait" }) })).toEqual(done);
    expect(service.ledger.requests()).toHaveLength(count);
  });

  test.each(["wait", "require"])("with %s an open gate is an update, and Diff asks nothing", async mode => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const id = uploaded(service, ANA);
    const { outputs } = await gates.create(run.call("gate", { type: GATE }), { inputs: gate(id) });
    const asked = service.ledger.requests().length;
    const inputs = gate(id, { mode });
    const preview = run.call("gate", { type: GATE, preview: true });
    const diff = await gates.diff(preview, { olds: outputs, oldInputs: inputs, news: inputs });
    expect(diff).toMatchObject({ changes: "some", detailed: { satisfied: "update" } });
    expect(service.ledger.requests()).toHaveLength(asked);
  });

  test("a gate that can't be read is an update, which fails with the reason", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const preview = run.call("gate", { type: GATE, preview: true });
    const id = uploaded(service, ANA);
    const { outputs } = await gates.create(run.call("gate", { type: GATE }), { inputs: gate(id) });
    service.people.removeDocument(id);
    const args = { id, olds: outputs, oldInputs: gate(id), news: gate(id) };
    await gates.check(preview, { news: gate(id) });
    expect((await gates.diff(preview, args)).changes).toBe("some");
    await expect(gates.update(preview, args)).rejects.toThrow(`/v1/documents/${id} answered 404`);
  });

  test("nothing new leaves state as it was, to the letter", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA, BOB);
    const { outputs } = await gates.create(call, { inputs: gate(id) });
    service.clock.advance(60_000);
    const args = { id, olds: outputs, oldInputs: gate(id), news: gate(id) };
    expect(await gates.update(call, args)).toEqual(outputs);
    expect(await gates.update(run.call("gate", { type: GATE, preview: true }), args)).toEqual(outputs);
    service.people.sign(id, ANA);
    expect(Date.parse(String((await gates.update(call, args))["checkedAt"]))).toBeGreaterThan(
      Date.parse(String(outputs["checkedAt"])),
    );
  });

  test.each(["observe", "wait", "require"] as const)("%s: a preview asks once at most and never waits", async mode => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const preview = run.call("gate", { type: GATE, preview: true });
    const unknown = await gates.create(preview, { inputs: { documentId: UNKNOWN, mode } });
    expect(service.ledger.requests()).toHaveLength(0);
    expect(isUnknown(unknown.outputs["satisfied"])).toBe(true);

    const id = uploaded(service, ANA);
    const { outputs } = await gates.create(preview, { inputs: gate(id, { mode }) });
    expect(service.ledger.requests()).toHaveLength(1);
    expect(isUnknown(outputs["satisfied"])).toBe(mode !== "observe");
    const then = {
      observe: "",
      wait: ": `pulumi up` waits for it, up to 24h",
      require: ": `pulumi up` fails until it is there",
    };
    expect(run.lines.at(-1)).toEqual({
      severity: mode === "require" ? "warn" : "info",
      text: `document ${id} waits for ${ANA} to sign${then[mode]}`,
    });
  });
});

describe("refresh and import", () => {
  test("a refresh looks again and shows no update of its own, whatever came since", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA, BOB);
    const { outputs } = await gates.create(call, { inputs: gate(id) });
    service.people.sign(id, ANA);
    const read = await gates.read(call, { id, inputs: gate(id), outputs });
    expect(read.outputs["pendingSigners"]).toEqual([BOB]);
    const swapped = { id, olds: read.outputs, oldInputs: read.inputs, news: gate(id) };
    service.people.sign(id, BOB);
    expect((await gates.diff(call, swapped)).changes).toBe("none");
    await gates.check(call, { news: gate(id) });
    expect((await gates.diff(call, swapped)).changes).toBe("some");
  });

  test("a satisfied gate stays satisfied, with a warning; certificates that came since are filled in", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA);
    service.people.signAll(id);
    const { outputs } = await gates.create(call, { inputs: gate(id) });
    service.people.certify(id);
    const certified = await gates.read(call, { id, inputs: gate(id), outputs });
    expect(certified.outputs).toMatchObject({ satisfied: true, nom151Ready: true, certificates: { ready: true } });
    service.people.forceSignerStatus(id, ANA, "revoked");
    const odd = await gates.read(call, { id, inputs: gate(id), outputs: certified.outputs });
    expect(odd.outputs).toEqual(certified.outputs);
    expect(run.lines.at(-1)).toMatchObject({ severity: "warn" });
    service.people.removeDocument(id);
    const gone = await gates.read(call, { id, inputs: gate(id), outputs: certified.outputs });
    expect(gone.outputs).toEqual(certified.outputs);
    expect(run.lines.at(-1)?.text).toContain(`the service doesn't show document ${id}`);
  });

  test("an import takes the document's id, and is no change afterwards", async () => {
    await using stage = await setStage();
    const { run, service } = stage;
    const gates = gatesIn(run.runtime.context);
    const call = run.call("gate", { type: GATE });
    const id = uploaded(service, ANA);
    const read = await gates.read(call, { id, inputs: undefined, outputs: undefined });
    expect(read).toMatchObject({ id, inputs: { documentId: id }, outputs: { satisfied: false } });
    const diff = await gates.diff(call, { olds: read.outputs, oldInputs: read.inputs, news: gate(id) });
    expect(diff.changes).toBe("none");
    const outside = { id: "../users/api_key", inputs: undefined, outputs: undefined };
    await expect(gates.read(call, outside)).rejects.toThrow("a document's id");
  });
});
