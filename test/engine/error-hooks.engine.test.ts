import { describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { missingFor } from "../support/engine/languages.js";
import { openScene, type Scene } from "../support/engine/scene.js";

const ANA = "ana@example.com";
const ATTEMPTS = 6;
const missing = missingEngine ?? missingFor("python");

/** A contract whose operations the engine repeats when they fail. In Python: the old Node.js host doesn't pass hooks on. */
const program = (name: string): string => `
import pulumi
import pulumi_docsign as docsign

attempts = 0

def again(_):
    global attempts
    attempts += 1
    return attempts < ${ATTEMPTS}

docsign.Document(
    "nda",
    name="${name}",
    file=pulumi.FileAsset("./contracts/nda.pdf"),
    invitations=[{"email": "${ANA}"}],
    opts=pulumi.ResourceOptions(
        hooks=pulumi.ResourceHookBinding(on_error=[pulumi.ErrorHook("again", again)]), delete_before_replace=True
    ),
)
`;

const openHooked = (): Promise<Scene> =>
  openScene({ program: "examples/quickstart-python", language: "python", files: { "__main__.py": program("NDA") } });

const creates = (scene: Scene): number => scene.asked().filter(request => request === "POST /v1/documents").length;

describe.skipIf(missing)("an onError hook that repeats what failed", () => {
  it("sends a contract once where the answer was lost and no list shows it", async () => {
    await using scene = await openHooked();
    scene.service.lag(1_000);
    await scene.stack.configure("docsign:reconcileTimeout", "0s");
    scene.service.faults.push({ kind: "status", when: "after", status: 502 }, { operation: "createDocument" });
    const { text } = await scene.stack.refused(["up", "--yes", "--skip-preview"]);
    expect(text).toContain("[docsign/create-");
    expect([creates(scene), scene.mailed()]).toEqual([1, [ANA]]);
  });

  it("replaces nothing signed", async () => {
    await using scene = await openHooked();
    await scene.stack.up();
    scene.service.people.sign(scene.id(), ANA);
    scene.stack.write("__main__.py", program("Another NDA"));
    scene.asked();
    scene.mailed();
    const { text } = await scene.stack.refused(["up", "--yes", "--skip-preview"]);
    expect(text).toContain("[docsign/replace-signed]");
    expect([creates(scene), scene.mailed()]).toEqual([0, []]);
    expect(scene.stack.entries()["nda"]).toMatchObject({ id: scene.id() });
  });

  it("goes on where a passing refusal was no create", async () => {
    await using scene = await openHooked();
    for (let nth = 1; nth < ATTEMPTS; nth++)
      scene.service.faults.push({ kind: "status", when: "before", status: 422 }, { operation: "createDocument" });
    await scene.stack.up();
    expect([creates(scene), scene.mailed()]).toEqual([ATTEMPTS, [ANA]]);
  });
});
