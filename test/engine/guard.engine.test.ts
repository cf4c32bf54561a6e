import { afterAll, describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { openScene, type Scene } from "../support/engine/scene.js";
import type { Outcome, Project } from "../support/engine/stack.js";

const ANA = "ana@example.com";
const BOB = "bob@example.org";
const pdf = (text: string): string => Buffer.from(`%PDF-1.4\n${text}\n%%EOF\n`).toString("base64");

interface Change {
  readonly inputs?: object;
  readonly options?: object;
  readonly more?: Record<string, object>;
}

/** The contract every row is about. */
function nda({ inputs, options, more }: Change = {}): Project {
  const properties = { name: "NDA", base64File: pdf("one"), invitations: [{ email: ANA }, { email: BOB }], ...inputs };
  return { resources: { ...more, nda: { type: "docsign:Document", properties, ...(options && { options }) } } };
}

/** A second provider, configured as the first. */
const other = { other: { type: "pulumi:providers:docsign", properties: { maxConcurrency: 3 } } };
const throughOther = { more: other, options: { provider: `\${other}` } };
const folder = (name: string) => ({ folder: { type: "docsign:Folder", properties: { name } } });

/** A stack with the contract in it, Ana having signed it or not. */
async function sceneWith(change: Change, { signed }: { signed: boolean }): Promise<Scene> {
  const scene = await openScene({ yaml: nda(change) });
  await scene.stack.up();
  // What state holds is known once the engine has shown it.
  await scene.stack.up();
  if (signed) scene.service.people.sign(scene.id(), ANA);
  scene.asked();
  scene.mailed();
  return scene;
}

/** Nothing was made and nobody mailed; with the program back as it was the stack is clean, and stays so. */
async function healed(scene: Scene, change: Change): Promise<void> {
  scene.stack.declare(nda(change));
  await scene.stack.up();
  const { nda: entry } = scene.stack.entries();
  expect(entry).toMatchObject({ id: scene.id() });
  const { delete: leftover, pendingReplacement, taint: tainted, initErrors } = entry ?? {};
  expect({ leftover, pendingReplacement, tainted, initErrors }).toEqual({});
  expect(scene.asked().filter(request => request.startsWith("POST"))).toEqual([]);
  expect(scene.mailed()).toEqual([]);
}

const UP = ["up", "--yes", "--skip-preview"];
const forced = (scene: Scene) => [...UP, "--target-replace", scene.stack.urn("nda")];
const state = (scene: Scene, verb: "taint" | "untaint") =>
  scene.stack.run(["state", verb, scene.stack.urn("nda"), "--yes", "--stack", scene.stack.name]);
const refusalIn = ({ notes }: Outcome): string | undefined =>
  notes.find(note => note.startsWith("error nda"))?.split("\n")[0];
const refusal = (scene: Scene): string =>
  `error nda: document ${scene.id()} "NDA" is partially_signed, so it is not replaced. No one was mailed. [docsign/replace-signed]`;
const duplicate = (scene: Scene): string =>
  `error nda: document ${scene.id()} has the same name, PDF and people already, and isn't this resource's own. Nothing was created. [docsign/duplicate]`;

interface Row {
  /** The program's contract from the start. */
  readonly before?: Change;
  /** What makes the engine replace it. */
  readonly cause: (scene: Scene) => Promise<string[]>;
  /** What takes that back, where going back to the program as it was doesn't. */
  readonly undo?: (scene: Scene) => Promise<unknown>;
}

const options = { deleteBeforeReplace: true };
const rows: Record<string, Row> = {
  "--target-replace, create first": { cause: async scene => forced(scene) },
  "--target-replace, delete first": { before: { options }, cause: async scene => forced(scene) },
  "--target-replace, delete first, on a machine that knows nothing": {
    before: { options },
    cause: async scene => {
      scene.stack.forget();
      return forced(scene);
    },
  },
  "--target-replace with retainOnDelete": {
    before: { options: { retainOnDelete: true } },
    cause: async scene => forced(scene),
  },
  "taint, create first": {
    cause: async scene => {
      await state(scene, "taint");
      return UP;
    },
    undo: scene => state(scene, "untaint"),
  },
  "taint, delete first": {
    before: { options },
    cause: async scene => {
      await state(scene, "taint");
      return UP;
    },
    undo: scene => state(scene, "untaint"),
  },
  "another explicit provider together with a changed name": {
    cause: async scene => {
      scene.stack.declare(nda({ ...throughOther, inputs: { name: "Other NDA" } }));
      return UP;
    },
  },
  "another explicit provider together with --target-replace": {
    cause: async scene => {
      scene.stack.declare(nda(throughOther));
      return forced(scene);
    },
  },
  "replaceOnChanges with a changed description": {
    cause: async scene => {
      scene.stack.declare(nda({ inputs: { description: "new" }, options: { replaceOnChanges: ["*"] } }));
      return UP;
    },
  },
  "deleteBeforeReplace: false with a changed signer": {
    before: { options: { deleteBeforeReplace: false } },
    cause: async scene => {
      scene.stack.declare(nda({ inputs: { invitations: [{ email: ANA }] }, options: { deleteBeforeReplace: false } }));
      return UP;
    },
  },
  "up --refresh with another PDF": {
    cause: async scene => {
      scene.stack.declare(nda({ inputs: { base64File: pdf("two") } }));
      return [...UP, "--refresh"];
    },
  },
};

describe.skipIf(missingEngine)("a partially signed document is replaced by nothing", () => {
  // Rows that begin alike share a stack, which each of them leaves as it was.
  const scenes = new Map<string, Scene>();
  const sharedScene = async (before: Change): Promise<Scene> => {
    const scene = scenes.get(JSON.stringify(before)) ?? (await sceneWith(before, { signed: true }));
    scenes.delete(JSON.stringify(before));
    return scene;
  };
  afterAll(() => Promise.all([...scenes.values()].map(scene => scene[Symbol.asyncDispose]())));

  it.each(Object.entries(rows))(
    "%s is refused, and without it the stack is clean",
    async (_, { before = {}, cause, undo }) => {
      await using leftover = new AsyncDisposableStack();
      const scene = leftover.use(await sharedScene(before));
      const refused = await scene.stack.refused(await cause(scene));
      expect(refusalIn(refused)).toBe(refusal(scene));
      if (undo) expect(refused.text).toContain(`if it was tainted: pulumi state untaint ${scene.stack.urn("nda")}\n`);
      await undo?.(scene);
      await healed(scene, before);
      scenes.set(JSON.stringify(before), scene);
      leftover.move();
    },
  );

  it("a signature that comes between Diff's look and Delete's stops the replacement", async () => {
    await using scene = await sceneWith({}, { signed: false });
    scene.stack.declare(nda({ inputs: { name: "Other NDA" } }));
    const look = scene.service.gate("processed", "getDocument");
    const up = scene.stack.refused(UP);
    await look.reached;
    scene.service.people.sign(scene.id(), ANA);
    look.open();
    expect(refusalIn(await up)).toBe(refusal(scene));
    await healed(scene, {});
  });

  it("a forced replacement on a machine that remembers nothing is refused as a duplicate", async () => {
    await using scene = await sceneWith({}, { signed: true });
    scene.stack.forget();
    const refused = await scene.stack.refused(forced(scene));
    expect(refusalIn(refused)).toBe(duplicate(scene));
    await healed(scene, {});
  });

  it("a status nobody has heard of counts as signed", async () => {
    await using scene = await sceneWith({}, { signed: false });
    scene.service.people.forceStatus(scene.id(), "archived");
    scene.stack.declare(nda({ inputs: { name: "Other NDA" } }));
    expect(refusalIn(await scene.stack.refused(["preview"]))).toBe(
      refusal(scene).replace("partially_signed", "archived"),
    );
    await healed(scene, {});
  });

  it("a signature that comes between preview and up stops what the preview had announced", async () => {
    await using scene = await sceneWith({}, { signed: false });
    scene.stack.declare(nda({ inputs: { name: "Other NDA" } }));
    expect((await scene.stack.preview("--save-plan", "plan.json")).notes).toEqual([
      `info nda: will mail ${ANA}, ${BOB}: document "Other NDA"\n  it replaces document ${scene.id()}, which stays at the service with its invitations open`,
    ]);
    scene.service.people.sign(scene.id(), ANA);
    expect(refusalIn(await scene.stack.refused([...UP, "--plan", "plan.json"]))).toBe(refusal(scene));
    await healed(scene, {});
  });

  it("destroy works right after a refused replacement", async () => {
    await using scene = await sceneWith({}, { signed: true });
    await scene.stack.refused(forced(scene));
    expect((await scene.stack.destroy()).steps).toEqual(["delete nda"]);
    expect(scene.mailed()).toEqual([]);
  });
});

describe.skipIf(missingEngine)("an unsigned document is replaced when that is asked for", () => {
  const replacedOnce = async (scene: Scene) => {
    expect(scene.stack.entries()["nda"]).toMatchObject({ id: scene.id(1), outputs: { supersedes: [scene.id(0)] } });
    expect(scene.service.ledger.documentCount()).toBe(2);
    expect(scene.mailed()).toEqual([ANA, BOB]);
    await scene.stack.up("--expect-no-changes");
  };

  it("delete first: one new document, one new mail each, and the old one's id is kept", async () => {
    await using scene = await sceneWith({ options }, { signed: false });
    const { steps } = await scene.stack.run(forced(scene));
    expect(steps).toEqual(["delete-replaced nda", "replace nda", "create-replacement nda"]);
    await replacedOnce(scene);
  });

  it("create first: refused as a duplicate, because it may be a create for lost state; duplicatePolicy: create allows it", async () => {
    await using scene = await sceneWith({}, { signed: false });
    const refused = await scene.stack.refused(forced(scene));
    expect(refusalIn(refused)).toBe(duplicate(scene));
    expect(refused.text).toContain("to replace it: set the resource option `deleteBeforeReplace: true`");
    await healed(scene, {});
    await scene.stack.configure("docsign:duplicatePolicy", "create");
    const { steps } = await scene.stack.run(forced(scene));
    // Engines differ in when they say the last two.
    expect([steps[0], ...steps.slice(1).sort()]).toEqual([
      "create-replacement nda",
      "delete-replaced nda",
      "replace nda",
    ]);
    await replacedOnce(scene);
  });
});

describe.skipIf(missingEngine)("nobody is mailed for what is no change", () => {
  const unchanged: Record<string, [before: Change, after: Change]> = {
    "another explicit provider": [{}, throughOther],
    "another message, with replaceOnChanges": [
      {},
      {
        inputs: { invitations: [{ email: ANA, message: "Please." }, { email: BOB }] },
        options: { replaceOnChanges: ["*"] },
      },
    ],
    "deletedWith a folder that is replaced": [
      { more: folder("old"), options: { deletedWith: `\${folder}` } },
      { more: folder("new"), options: { deletedWith: `\${folder}` } },
    ],
  };
  it.each(Object.entries(unchanged))("%s", async (_, [before, after]) => {
    await using scene = await sceneWith(before, { signed: true });
    scene.stack.declare(nda(after));
    const up = await scene.stack.up();
    expect(up.steps.filter(step => step.endsWith(" nda") && step !== "update nda")).toEqual([]);
    expect(scene.stack.entries()["nda"]?.id).toBe(scene.id());
    expect(scene.mailed()).toEqual([]);
  });

  it("protect stops the engine before it asks for anything", async () => {
    await using scene = await sceneWith({ options: { protect: true } }, { signed: false });
    const refused = await scene.stack.refused(forced(scene));
    expect(refused.text).toContain("as it is currently marked for protection");
    expect(scene.asked()).toEqual([]);
  });
});
