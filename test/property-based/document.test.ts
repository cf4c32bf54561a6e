import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { diffResponse } from "../../kit/calls.js";
import { isRecord, isUnknown, UNKNOWN, type Value, type Values } from "../../kit/values.js";
import { base64, nda } from "../lifecycle/scene.js";
import { documentsIn } from "../support/documents.js";
import { mixedDialects, startIndependentService } from "../support/independent-service/index.js";
import { startMachine } from "../support/machine.js";
import { rpc } from "../support/proto.js";
import { daily } from "../support/sample.js";
import { pluginFrontEnd, Stack } from "../support/simulated-engine.js";
import { goodInputs } from "./documents.js";

const runs = { numRuns: 60 };

/** One service and one machine for all runs of a law; each run has a resource of its own. */
async function laboratory(dialect = {}) {
  const service = await startIndependentService({ dialect });
  const machine = startMachine();
  const run = machine.run({ baseUrl: service.url, apiKey: service.apiKey });
  const documents = documentsIn(run.runtime.context);
  let count = 0;
  return {
    service,
    documents,
    /** Calls of a new resource. */
    call: (preview = false) => run.call(`law-${count++}`, { preview }),
    run,
    [Symbol.asyncDispose]: async () => {
      await run.end();
      machine[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
    },
  };
}

describe("check", () => {
  test("is idempotent", async () => {
    await using lab = await laboratory();
    await fc.assert(
      fc.asyncProperty(goodInputs, async news => {
        const call = lab.call();
        const first = await lab.documents.check(call, { olds: undefined, news });
        expect(first.failures).toEqual([]);
        const second = await lab.documents.check(call, { olds: first.inputs, news: first.inputs });
        expect(second).toEqual(first);
        expect(await lab.documents.check(call, { olds: first.inputs, news })).toEqual(first);
      }),
      runs,
    );
    expect(lab.service.ledger.requests()).toEqual([]);
  });

  test("never throws, whatever it is given", async () => {
    await using lab = await laboratory();
    const anything = fc.oneof(
      goodInputs,
      fc.dictionary(
        fc.constantFrom("name", "invitations", "file", "base64File", "folderId", "extraParameters", "x"),
        fc.jsonValue(),
      ),
    );
    await fc.assert(
      fc.asyncProperty(anything, async news => {
        const { failures } = await lab.documents.check(lab.call(), { olds: undefined, news: news as Values });
        for (const { property, reason } of failures) {
          expect(reason.length).toBeLessThan(1_000);
          expect(property).not.toMatch(/^(file|base64File|extraParameters)/);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("diff", () => {
  test("of equal inputs is empty, in any order of invitations, and sends no request", async () => {
    await using lab = await laboratory();
    await fc.assert(
      fc.asyncProperty(goodInputs, fc.nat(), async (news, seed) => {
        const call = lab.call();
        const { inputs } = await lab.documents.check(call, { olds: undefined, news });
        const shuffled = rotated(inputs, seed);
        const args = { id: "1", olds: { sha256: "0", service: lab.service.url, documentId: "1" }, oldInputs: inputs };
        expect(await lab.documents.diff(call, { ...args, news: inputs })).toMatchObject({
          changes: "none",
          detailed: {},
        });
        expect(await lab.documents.diff(call, { ...args, news: shuffled })).toMatchObject({ changes: "none" });
      }),
      runs,
    );
    expect(lab.service.ledger.requests()).toEqual([]);
  });

  test("names every changed property among those that replace", async () => {
    await using lab = await laboratory();
    const id = lab.service.people.upload("first", {
      name: "any",
      pdf: Buffer.from("%PDF-1.4"),
      emails: ["a@b.example"],
    });
    const call = lab.call();
    await fc.assert(
      fc.asyncProperty(goodInputs, goodInputs, async (before, after) => {
        const { inputs: oldInputs } = await lab.documents.check(call, { olds: undefined, news: before });
        const { inputs: news } = await lab.documents.check(call, { olds: oldInputs, news: after });
        const olds = { service: lab.service.url, documentId: id };
        const diff = await lab.documents.diff(call, { id, olds, oldInputs, news });
        const response = rpc.DiffResponse.deserializeBinary(diffResponse(diff));
        const detailed = [
          ...new Set([...response.getDetaileddiffMap().keys()].map(path => path.replace(/[.[].*/, ""))),
        ];
        expect(response.getDiffsList().sort()).toEqual(detailed.sort());
        expect(response.getReplacesList().sort()).toEqual(detailed);
        expect(diff.changes === "none").toBe(detailed.length === 0);
        for (const name of ["name", "base64File"]) expect(detailed.includes(name)).toBe(oldInputs[name] !== news[name]);
      }),
      runs,
    );
  });
});

describe("preview", () => {
  test("shows nothing the real create doesn't", async () => {
    await using lab = await laboratory({ form: "extended" });
    await fc.assert(
      fc.asyncProperty(goodInputs, async given => {
        const { folderId: _, ...news } = given;
        const call = lab.call();
        const { inputs } = await lab.documents.check(call, { olds: undefined, news });
        const previewed = await lab.documents.create({ ...call, preview: true }, { inputs });
        const created = await lab.documents.create(call, { inputs });
        expect(previewed.id).toBe("");
        for (const [name, value] of Object.entries(previewed.outputs)) {
          if (!isUnknown(value)) expect(created.outputs[name], name).toEqual(value);
        }
        expect(Object.keys(previewed.outputs)).toEqual(expect.arrayContaining(Object.keys(created.outputs)));
        expect(holdsUnknown(created.outputs)).toBe(false);
      }),
      { numRuns: 25 },
    );
  });

  test("with unknowns anywhere only reads, and sends nothing", async () => {
    await using lab = await laboratory();
    await fc.assert(
      fc.asyncProperty(goodInputs, fc.nat(), async (given, at) => {
        const news = withUnknown(given, at);
        const call = lab.call(true);
        const { inputs, failures } = await lab.documents.check(call, { olds: undefined, news });
        expect(failures).toEqual([]);
        expect(holdsUnknown(inputs)).toBe(true);
        const { id } = await lab.documents.create(call, { inputs });
        expect(id).toBe("");
        const { inputs: known } = await lab.documents.check(call, { olds: undefined, news: given });
        const olds = { service: lab.service.url, documentId: "7" };
        await lab.documents.diff(call, { id: "7", olds, oldInputs: known, news: inputs });
      }),
      runs,
    );
    expect(lab.service.ledger.requests().filter(({ method }) => method !== "GET")).toEqual([]);
  });
});

/** The service fills in the stage of the first row, which makes it fit both. */
const onePersonInTwoStages = {
  name: "Side letter",
  invitations: [
    { email: "cleo@example.net", allowedSignatureTypes: "autograph" },
    { email: "cleo@example.net", stage: 1 },
  ],
  base64File: base64("one"),
};

/** Each returns something else. */
describe.each(daily(mixedDialects, 2, ({ name }) => name))("a service of the dialect $name:", ({ settings }) => {
  test("an up after an import or a refresh has no changes", async () => {
    await using service = await startIndependentService(settings);
    using machine = startMachine();
    const config = { baseUrl: service.url, apiKey: service.apiKey };
    let count = 0;
    await fc.assert(
      fc.asyncProperty(goodInputs, async given => {
        const { folderId: _folder, extraParameters: _extra, ...inputs } = given;
        const stack = new Stack(pluginFrontEnd(machine), { default: config }, `run${count++}`);
        const program = [{ ...nda(), inputs }];
        expect((await stack.up(program, { skipPreview: true })).error).toBeUndefined();
        const { id } = stack.entry("nda");
        service.people.signAll(id);
        expect((await stack.refresh()).error).toBeUndefined();
        const unchanged = ["check nda (olds)", `diff nda ${id}`];
        expect((await stack.up(program)).calls).toEqual(unchanged);
        stack.entries = [];
        expect((await stack.import({ name: "nda" }, id)).error).toBeUndefined();
        expect(await stack.up(program)).toMatchObject({ error: undefined, calls: unchanged });
        expect((await stack.destroy()).error).toBeUndefined();
      }),
      { numRuns: 6, examples: [[onePersonInTwoStages]] },
    );
  });
});

test("a second delete changes nothing", async () => {
  await using lab = await laboratory();
  const call = lab.call();
  const outputs = { service: lab.service.url, pendingSigners: ["a@b.example"], documentId: "5" };
  await lab.documents.delete(call, { id: "5", outputs });
  await lab.documents.delete(call, { id: "5", outputs });
  expect(lab.service.ledger.requests()).toEqual([]);
});

function rotated(inputs: Values, by: number): Values {
  const rows = inputs["invitations"];
  if (!Array.isArray(rows)) return inputs;
  const at = by % rows.length;
  return { ...inputs, invitations: [...rows.slice(at), ...rows.slice(0, at)] };
}

/** The same with an unknown in the place of the `at`th value in it. */
function withUnknown(inputs: Values, at: number): Values {
  const places: (readonly (string | number)[])[] = [];
  const walk = (value: Value, path: readonly (string | number)[]): void => {
    if (path.length > 0) places.push(path);
    if (Array.isArray(value)) value.forEach((each, index) => void walk(each, [...path, index]));
    else if (isRecord(value)) for (const [key, each] of Object.entries(value)) walk(each, [...path, key]);
  };
  walk(inputs, []);
  const place = places[at % places.length] ?? [];
  const put = (value: Value, path: readonly (string | number)[]): Value => {
    const [step, ...rest] = path;
    if (step === undefined) return UNKNOWN;
    if (Array.isArray(value)) return value.map((each, index) => (index === step ? put(each, rest) : each));
    if (!isRecord(value)) return value;
    const changed: Values = { ...value };
    changed[step] = put(value[step] ?? null, rest);
    return changed;
  };
  return put(inputs, place) as Values;
}

function holdsUnknown(value: Value): boolean {
  if (isUnknown(value)) return true;
  if (Array.isArray(value)) return value.some(holdsUnknown);
  return isRecord(value) && Object.values(value).some(holdsUnknown);
}
