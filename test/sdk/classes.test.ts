import * as pulumi from "@pulumi/pulumi";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as docsign from "../../sdk/index.js";

interface Registered {
  readonly type: string;
  readonly name: string;
  readonly inputs: Record<string, unknown>;
}

const registered: Registered[] = [];
const called: pulumi.runtime.MockCallArgs[] = [];

const fetchBefore = globalThis.fetch;
beforeAll(async () => {
  globalThis.fetch = () => Promise.reject(new Error("a unit test must reach no network"));
  await pulumi.runtime.setMocks(
    {
      newResource: args => {
        registered.push(args);
        return { id: `${args.name}-id`, state: { ...args.inputs, status: "unsigned" } };
      },
      call: args => {
        called.push(args);
        return { documentId: args.inputs["documentId"], pendingSigners: ["ana@example.com"] };
      },
    },
    "contracts",
    "test",
  );
});
afterAll(() => {
  globalThis.fetch = fetchBefore;
});
beforeEach(() => {
  registered.length = 0;
  called.length = 0;
});

const settled = <T>(output: pulumi.Output<T>): Promise<T> => new Promise(resolve => void output.apply(resolve));

/** As the engine marks a secret. */
const secret = (value: unknown) => ({
  "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
  value,
});

const args: docsign.DocumentArgs = {
  name: "NDA",
  file: new pulumi.asset.StringAsset("%PDF-1.4"),
  invitations: [{ email: "ana@example.com" }],
};

async function inputsOf(make: () => pulumi.CustomResource): Promise<Record<string, unknown>> {
  await settled(make().urn);
  return registered.at(-1)?.inputs ?? {};
}

describe("under pulumi.runtime.setMocks", () => {
  test("a Document constructs, and its outputs are what the mock says", async () => {
    const nda = new docsign.Document("nda", args);
    expect(await settled(nda.status)).toBe("unsigned");
    expect(await settled(nda.id)).toBe("nda-id");
    expect(registered[0]).toMatchObject({
      type: "pulumi-nodejs:dynamic/docsign:Document",
      name: "nda",
      inputs: {
        name: "NDA",
        resourceKey: "urn:pulumi:test::contracts::docsign:index:Document::nda",
        __provider: 'exports.handler=()=>require("pulumi-docsign/runtime").provider',
      },
    });
    expect(docsign.Document.isInstance(nda)).toBe(true);
    expect(docsign.Folder.isInstance(nda)).toBe(false);
  });

  test("a DocumentSet sends its rows beside the output of their name, with bytes in base64", async () => {
    const inputs = await inputsOf(
      () =>
        new docsign.DocumentSet("ndas", {
          documents: {
            ana: { base64File: new TextEncoder().encode("%PDF"), invitations: [{ email: "ana@example.com" }] },
          },
          defaults: pulumi.output({ name: "NDA" }),
        }),
    );
    expect(inputs).toMatchObject({
      resourceKey: "urn:pulumi:test::contracts::docsign:index:DocumentSet::ndas",
      documentRows: { ana: { base64File: "JVBERg==", invitations: [{ email: "ana@example.com" }] } },
      defaults: { name: "NDA" },
    });
    expect(inputs["documents"]).toBeUndefined();
  });

  test("functions ask the mocks, by the plugin's tokens", async () => {
    expect(await docsign.getSigners({ documentId: "4711" })).toMatchObject({ pendingSigners: ["ana@example.com"] });
    const nda = new docsign.Document("nda", args);
    const signers = docsign.getSignersOutput({ documentId: nda.id }, { dependsOn: [nda] });
    expect(await settled(signers.pendingSigners)).toEqual(["ana@example.com"]);
    expect(called.map(({ token, inputs }) => [token, inputs])).toEqual([
      ["docsign:index:getSigners", { documentId: "4711" }],
      ["docsign:index:getSigners", { documentId: "nda-id" }],
    ]);
  });
});

describe("gates and reminders", () => {
  test("construct, and their outputs are what the mock says", async () => {
    const nda = new docsign.Document("nda", args);
    const gate = new docsign.SignatureGate("signed", { documentId: nda.documentId, until: "all" });
    const reminder = new docsign.Reminder("weekly", { documentId: "4711", triggers: { week: 1 } });
    expect(await settled(gate.status)).toBe("unsigned");
    expect(await settled(reminder.documentId)).toBe("4711");
    expect(registered.map(({ type }) => type).sort()).toEqual([
      "pulumi-nodejs:dynamic/docsign:Document",
      "pulumi-nodejs:dynamic/docsign:Reminder",
      "pulumi-nodejs:dynamic/docsign:SignatureGate",
    ]);
    expect(docsign.SignatureGate.isInstance(gate)).toBe(true);
    expect(docsign.Reminder.isInstance(gate)).toBe(false);
  });

  test("a gate says how long it may wait, and nothing is delete-first that nobody is mailed for", async () => {
    const seen: pulumi.CustomResourceOptions[] = [];
    const look = (resource: pulumi.ResourceTransformationArgs) => void seen.push(resource.opts);
    const options = { transformations: [look as never], customTimeouts: { create: "2h" }, import: "4711" };
    const gate = { documentId: "4711", mode: "wait" } as const;
    const inputs = await inputsOf(() => new docsign.SignatureGate("signed", gate, options));
    expect(inputs).toMatchObject({ documentId: "4711", mode: "wait", __timeouts: { create: "2h" } });
    expect(inputs).not.toHaveProperty("__import");
    expect(seen[0]).toMatchObject({ customTimeouts: { create: "2h" } });
    expect(seen[0]).not.toHaveProperty("deleteBeforeReplace");
    expect(seen[0]).not.toHaveProperty("import");
  });

  test("a reminder can't be imported", () => {
    const once = () => new docsign.Reminder("weekly", { documentId: "4711" }, { import: "4711" });
    expect(once).toThrow(/can't be imported: the service doesn't say whom it reminded/);
  });

  test("hides what is made of secrets", async () => {
    const secrets = { signers: pulumi.secret(["ana@example.com"]), triggers: pulumi.secret("CANARY") };
    const gate = { documentId: "1", signers: secrets.signers };
    expect(await inputsOf(() => new docsign.SignatureGate("signed", gate))).toMatchObject({
      secretInputs: ["signers"],
      pendingSigners: secret([]),
      given: secret([]),
    });
    expect(await inputsOf(() => new docsign.Reminder("weekly", { documentId: "1", ...secrets }))).toMatchObject({
      secretInputs: ["signers", "triggers"],
      sent: secret([]),
      skipped: secret([]),
      round: secret([]),
    });
  });
});

describe("what the engine gets", () => {
  test.each([
    ["a Buffer", () => Buffer.from("%PDF-")],
    ["bytes", () => new Uint8Array(Buffer.from("%PDF-"))],
    ["a promise of a Buffer", () => Promise.resolve(Buffer.from("%PDF-"))],
    ["an output of a Buffer", () => pulumi.output(0).apply(() => Buffer.from("%PDF-"))],
    ["a secret Buffer", () => pulumi.secret(Buffer.from("%PDF-"))],
    ["text", () => "JVBERi0="],
  ])("of base64File as %s is base64", async (_, given) => {
    const { file: _file, ...rest } = args;
    const inputs = await inputsOf(() => new docsign.Document("nda", { ...rest, base64File: given() as string }));
    expect([secret("JVBERi0="), "JVBERi0="]).toContainEqual(inputs["base64File"]);
  });

  test("says which inputs are secret, and hides what is made of them", async () => {
    const invitations = [{ email: pulumi.secret("ana@example.com") }];
    const inputs = await inputsOf(() => new docsign.Document("nda", { ...args, invitations }));
    expect(inputs).toMatchObject({ secretInputs: ["invitations"], signers: secret([]), given: secret([]) });
    expect(inputs["pendingSigners"]).toEqual(secret([]));
    const plain = await inputsOf(() => new docsign.Document("other", { ...args, name: pulumi.output("NDA") }));
    for (const name of ["secretInputs", "signers", "pendingSigners", "given"]) expect(plain).not.toHaveProperty(name);
  });

  test("has the parents' types in the resource's key", async () => {
    const team = new pulumi.ComponentResource("acme:index:Team", "legal");
    const inputs = await inputsOf(() => new docsign.Folder("f", { name: "Legal" }, { parent: team }));
    expect(inputs["resourceKey"]).toBe("urn:pulumi:test::contracts::acme:index:Team$docsign:index:Folder::f");
  });

  test("waits for no other one in the same component", async () => {
    const team = new pulumi.ComponentResource("acme:index:Team", "siblings");
    const seen: pulumi.ResourceTransformationArgs[] = [];
    const look = (resource: pulumi.ResourceTransformationArgs) => void seen.push(resource);
    new docsign.Document("nda", args, { parent: team, transformations: [look as never] });
    // An output of a component depends on all that is in it.
    expect(pulumi.Output.isInstance(seen[0]?.props["resourceKey"])).toBe(false);
  });

  test("is delete-first unless the program says otherwise", () => {
    const seen: pulumi.CustomResourceOptions[] = [];
    const look = (resource: pulumi.ResourceTransformationArgs) => void seen.push(resource.opts);
    new docsign.Document("a", args, { transformations: [look as never] });
    new docsign.Document("b", args, { transformations: [look as never], deleteBeforeReplace: false, import: "4711" });
    expect(seen.map(({ deleteBeforeReplace }) => deleteBeforeReplace)).toEqual([true, false]);
    expect(seen[1]).not.toHaveProperty("import");
  });

  test("an error while constructing names its line, and traces are long again afterwards", () => {
    const limit = Error.stackTraceLimit;
    const fails = () => {
      throw new Error("theirs");
    };
    let stack: string | undefined;
    try {
      new docsign.Document("a", args, { transformations: [fails as never] });
    } catch (error) {
      stack = (error as Error).stack;
    }
    expect(stack).toMatch(/classes\.test\.ts/);
    expect(Error.stackTraceLimit).toBe(limit);
  });

  test("never goes to an explicit provider", () => {
    const provider = { provider: {} as pulumi.ProviderResource };
    expect(() => new docsign.Document("a", args, provider)).toThrow(/take no `provider`/);
  });
});
