import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openScene, type Scene } from "../support/engine/scene.js";
import type { Outcome, Project } from "../support/engine/stack.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";
const pdf = (text: string): string => Buffer.from(`%PDF-1.4\n${text}\n%%EOF\n`).toString("base64");

interface Change {
  readonly inputs?: object;
  readonly options?: object;
}

/** Contracts of one program, by their names, and whatever else is in it. */
type Contracts = Readonly<Record<string, Change>>;

const nda = (name: string, { inputs, options }: Change): object => ({
  type: "docsign:Document",
  properties: { name: `NDA ${name}`, base64File: pdf("one"), invitations: [{ email: ANA }, { email: BOB }], ...inputs },
  ...(options && { options }),
});

const program = (contracts: Contracts, more: Record<string, object> = {}): Project => ({
  resources: {
    ...more,
    ...Object.fromEntries(Object.entries(contracts).map(([name, change]) => [name, nda(name, change)])),
  },
});

/** A second provider, configured as the first. */
const other = { other: { type: "pulumi:providers:docsign", properties: { maxConcurrency: 3 } } };
const throughOther = { provider: `\${other}` };
const folder = (name: string) => ({ folder: { type: "docsign:Folder", properties: { name } } });

/** A stack with the contracts in it. */
async function sceneWith(project: Project): Promise<Scene> {
  const scene = await openScene({ yaml: project });
  await scene.stack.up();
  // What state holds is known once the engine has shown it.
  await scene.stack.up();
  scene.asked();
  scene.mailed();
  return scene;
}

const idOf = (scene: Scene, name: string): string => scene.stack.entries()[name]?.id ?? "";
const sign = (scene: Scene, ...names: string[]) => {
  for (const name of names) scene.service.people.sign(idOf(scene, name), ANA);
};

/** Nothing was made and nobody mailed; with the program back as it was the stack is clean, and stays so. */
async function healed(scene: Scene, project: Project): Promise<void> {
  const before = idsIn(scene);
  scene.stack.declare(project);
  await scene.stack.up();
  expect(idsIn(scene)).toEqual(before);
  for (const [name, entry] of Object.entries(scene.stack.entries())) {
    const { delete: leftover, pendingReplacement, taint: tainted, initErrors } = entry;
    expect({ leftover, pendingReplacement, tainted, initErrors }, name).toEqual({});
  }
  expect(scene.asked().filter(request => request.startsWith("POST"))).toEqual([]);
  expect(scene.mailed()).toEqual([]);
}

const idsIn = ({ stack }: Scene): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(stack.entries()).map(([name, { id }]) => [name, id]));

const UP = ["up", "--yes", "--skip-preview"];
/** With several contracts in a run, each is to be refused, whichever comes first. After a refused Delete the engine hangs. */
const ALL = [...UP, "--continue-on-error"];
const forced = (scene: Scene, ...names: string[]) => names.flatMap(name => ["--target-replace", scene.stack.urn(name)]);
const state = (scene: Scene, verb: "taint" | "untaint", names: readonly string[]) =>
  scene.stack.run(["state", verb, ...names.map(name => scene.stack.urn(name)), "--yes", "--stack", scene.stack.name]);
/** The first line of what was said against each contract. */
const refusalsIn = ({ notes }: Outcome): Record<string, string> =>
  Object.fromEntries(
    notes.flatMap(note => {
      const [, name, line] = /^error ([\w-]+): (.*document \d+.*)/.exec(note) ?? [];
      return name === undefined || line === undefined ? [] : [[name, line]];
    }),
  );
const refusal = (scene: Scene, name: string, status = "partially signed"): string =>
  `document ${idOf(scene, name)} "NDA ${name}" is ${status}, so it is not replaced. No one was mailed. [docsign/replace-signed]`;
const duplicate = (scene: Scene, name: string, whose = "nothing shows that this stack sent it"): string =>
  `document ${idOf(scene, name)} has the same name, PDF and people already, and ${whose}. Nothing was created. [docsign/duplicate]`;

const deleteFirst = { deleteBeforeReplace: true };
const contracts = {
  "create-first": {},
  "delete-first": { options: deleteFirst },
  retained: { options: { retainOnDelete: true } },
  moved: {},
  renamed: {},
  watched: {},
  invited: { options: { deleteBeforeReplace: false } },
} satisfies Contracts;
const names = Object.keys(contracts);
const start = program(contracts);

describe.skipIf(missingEngine)("a partially signed document is replaced by nothing", () => {
  // One stack, which each test leaves as it was.
  let scene: Scene;
  beforeAll(async () => {
    scene = await sceneWith(start);
    sign(scene, ...names);
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  const refusals = (...of: string[]) => Object.fromEntries(of.map(name => [name, refusal(scene, name)]));

  it("--target-replace is refused, create first and delete first, and without it the stack is clean", async () => {
    const created = await scene.stack.refused([...ALL, ...forced(scene, "create-first", "retained")]);
    expect(refusalsIn(created)).toEqual(refusals("create-first", "retained"));
    const deleted = await scene.stack.refused([...UP, ...forced(scene, "delete-first")]);
    expect(refusalsIn(deleted)).toEqual(refusals("delete-first"));
    await healed(scene, start);
  });

  it("a taint is refused, create first and delete first, and once taken back the stack is clean", async () => {
    const tainted = ["create-first", "delete-first"];
    await state(scene, "taint", tainted);
    for (const name of tainted) {
      const refused = await scene.stack.refused([...UP, "--target", scene.stack.urn(name)]);
      expect(refusalsIn(refused)).toEqual(refusals(name));
      expect(refused.text).toContain(`if it was tainted: pulumi state untaint ${scene.stack.urn(name)}\n`);
    }
    await state(scene, "untaint", tainted);
    await healed(scene, start);
  });

  it("a change is refused with another explicit provider, replaceOnChanges or deleteBeforeReplace: false, and going back heals", async () => {
    const renamed = { inputs: { name: "Other NDA" }, options: throughOther };
    const watched = { inputs: { description: "new" }, options: { replaceOnChanges: ["*"] } };
    const invited = { inputs: { invitations: [{ email: ANA }] }, options: { deleteBeforeReplace: false } };
    for (const [name, change] of Object.entries({ renamed, watched, invited })) {
      scene.stack.declare(program({ ...contracts, [name]: change }, other));
      expect(refusalsIn(await scene.stack.refused(UP))).toEqual(refusals(name));
    }
    await healed(scene, start);
  });

  it("another explicit provider together with --target-replace is refused, and without both the stack is clean", async () => {
    scene.stack.declare(program({ ...contracts, moved: { options: throughOther } }, other));
    const refused = await scene.stack.refused([...UP, ...forced(scene, "moved")]);
    expect(refusalsIn(refused)).toEqual(refusals("moved"));
    await healed(scene, start);
  });

  it("up --refresh with another PDF is refused, and with the old one the stack is clean", async () => {
    scene.stack.declare(program({ ...contracts, moved: { inputs: { base64File: pdf("two") } } }));
    expect(refusalsIn(await scene.stack.refused([...UP, "--refresh"]))).toEqual(refusals("moved"));
    await healed(scene, start);
  });

  it("a machine that remembers nothing refuses --target-replace, create first as a duplicate; destroy works right after", async () => {
    const of = { "delete-first": refusal, "create-first": duplicate };
    for (const [name, words] of Object.entries(of)) {
      scene.stack.forget();
      const refused = await scene.stack.refused([...UP, ...forced(scene, name)]);
      expect(refusalsIn(refused)).toEqual({ [name]: words(scene, name) });
    }
    expect((await scene.stack.destroy()).steps.sort()).toEqual(names.map(name => `delete ${name}`).sort());
    expect(scene.asked().filter(request => request.startsWith("POST"))).toEqual([]);
    expect(scene.mailed()).toEqual([]);
  });
});

describe.skipIf(missingEngine)("what is signed while a replacement is on its way is replaced by nothing", () => {
  const before = { raced: {}, archived: {}, planned: {} };
  let scene: Scene;
  beforeAll(async () => {
    scene = await sceneWith(program(before));
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());
  const rename = (name: keyof typeof before) =>
    scene.stack.declare(program({ ...before, [name]: { inputs: { name: "Other NDA" } } }));

  it("a signature that comes between Diff's look and Delete's stops the replacement", async () => {
    rename("raced");
    const look = scene.service.gate("processed", "getDocument");
    const up = scene.stack.refused(UP);
    await look.reached;
    sign(scene, "raced");
    look.open();
    expect(refusalsIn(await up)).toEqual({ raced: refusal(scene, "raced") });
    await healed(scene, program(before));
  });

  it("a status nobody has heard of counts as signed", async () => {
    scene.service.people.forceStatus(idOf(scene, "archived"), "archived");
    rename("archived");
    const refused = await scene.stack.refused(["preview"]);
    expect(refusalsIn(refused)).toEqual({ archived: refusal(scene, "archived", "archived") });
    await healed(scene, program(before));
  });

  it("a signature that comes between preview and up stops what the preview had announced", async () => {
    rename("planned");
    expect((await scene.stack.preview("--save-plan", "plan.json")).notes).toEqual([
      `info planned: will mail ${ANA}, ${BOB}: document "Other NDA"\n  it replaces document ${idOf(scene, "planned")}, which stays at the service with its invitations open`,
    ]);
    sign(scene, "planned");
    const refused = await scene.stack.refused([...UP, "--plan", "plan.json"]);
    expect(refusalsIn(refused)).toEqual({ planned: refusal(scene, "planned") });
    await healed(scene, program(before));
  });
});

describe.skipIf(missingEngine)("an unsigned document is replaced when that is asked for", () => {
  const before = { "create-first": {}, "delete-first": { options: deleteFirst } };
  let scene: Scene;
  beforeAll(async () => {
    scene = await sceneWith(program(before));
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  const replacedOnce = async (name: string, old: string, documents: number) => {
    const newest = scene.service.ledger.documents().at(-1)?.id;
    expect(scene.stack.entries()[name]).toMatchObject({ id: newest, outputs: { supersedes: [old] } });
    expect(scene.service.ledger.documentCount()).toBe(documents);
    expect(scene.mailed()).toEqual([ANA, BOB]);
    await scene.stack.up("--expect-no-changes");
  };

  it("delete first: one new document, one new mail each, and the old one's id is kept", async () => {
    const old = idOf(scene, "delete-first");
    const { steps } = await scene.stack.run([...UP, ...forced(scene, "delete-first")]);
    expect(steps).toEqual(["delete-replaced delete-first", "replace delete-first", "create-replacement delete-first"]);
    await replacedOnce("delete-first", old, 3);
    scene.asked();
  });

  it("create first: taken back, because it may be a create for lost state; duplicatePolicy: create replaces it", async () => {
    const old = idOf(scene, "create-first");
    const { text } = await scene.stack.run([...UP, ...forced(scene, "create-first")]);
    expect(text).toContain(`takes over document ${old}, and mails no one`);
    expect(text).toContain("To replace it all the same, set the resource option `deleteBeforeReplace: true`");
    expect(idOf(scene, "create-first")).toBe(old);
    await healed(scene, program(before));
    await scene.stack.configure("docsign:duplicatePolicy", "create");
    const { steps } = await scene.stack.run([...UP, ...forced(scene, "create-first")]);
    // Engines differ in when they say the last two.
    expect([steps[0], ...steps.slice(1).sort()]).toEqual([
      "create-replacement create-first",
      "delete-replaced create-first",
      "replace create-first",
    ]);
    await replacedOnce("create-first", old, 4);
  });
});

describe.skipIf(missingEngine)("nobody is mailed for what is no change", () => {
  const deletedWith = { deletedWith: `\${folder}` };
  const before = { moved: {}, remarked: {}, "folder-bound": { options: deletedWith } };
  const protectedOne = { protected: { options: { protect: true } } };
  let scene: Scene;
  beforeAll(async () => {
    scene = await sceneWith(program({ ...before, ...protectedOne }, folder("old")));
    sign(scene, ...Object.keys(before));
  });
  afterAll(() => scene?.[Symbol.asyncDispose]());

  it("protect stops the engine before it asks for anything", async () => {
    const refused = await scene.stack.refused([...UP, ...forced(scene, "protected")]);
    expect(refused.text).toContain("as it is currently marked for protection");
    expect(scene.asked()).toEqual([]);
  });

  it("another explicit provider; another message, with replaceOnChanges; deletedWith a folder that is replaced", async () => {
    const { folder: _, ...ids } = idsIn(scene);
    const message = { invitations: [{ email: ANA, message: "Please." }, { email: BOB }] };
    const after = {
      ...protectedOne,
      moved: { options: throughOther },
      remarked: { inputs: message, options: { replaceOnChanges: ["*"] } },
      "folder-bound": { options: deletedWith },
    };
    scene.stack.declare(program(after, { ...other, ...folder("new") }));
    const { steps } = await scene.stack.up();
    const isNoReplacement = (step: string) => step.endsWith(" folder") || step.startsWith("update ");
    expect(steps.filter(step => !isNoReplacement(step))).toEqual([]);
    expect(idsIn(scene)).toMatchObject(ids);
    expect(scene.mailed()).toEqual([]);
  });
});
