import { expect, it } from "vitest";
import { startSandbox } from "../../sandbox/index.js";
import { missingEngine } from "../support/engine/found.js";
import { type Entry, openStack } from "../support/engine/stack.js";

const MB = 1024 * 1024;

it.skipIf(missingEngine)(
  "a signed and certified document of two signers costs at most 3 KB of state, its PDF weighing 20 MB",
  async () => {
    await using service = await startSandbox();
    await using stack = await openStack({ program: "examples/quickstart", service });
    const content = Buffer.alloc(20 * MB, "content of a PDF ");
    stack.write("contracts/nda.pdf", Buffer.concat([Buffer.from("%PDF-1.4\n"), content]));
    await stack.up();
    for (const { id } of service.documents()) {
      service.signAll(id);
      service.certify(id);
    }
    await stack.up("--refresh");

    const text = stack.checkpoint();
    const resources: Entry[] = JSON.parse(text).checkpoint.latest.resources;
    const document = resources.find(({ type }) => type === "docsign:index:Document");
    expect(document?.outputs).toMatchObject({
      status: "signed",
      certificates: { ready: true },
      nom151: { ready: true },
    });
    // The constancia is as long as its authority makes it.
    Object.assign(document?.outputs["nom151"] ?? {}, { dataUri: "" });
    // Where in the program a resource stands is noted by newer language hosts: as long as their stack is deep.
    const { sourcePosition, stackTrace, ...ours } = document as Entry & Record<string, unknown>;
    expect(JSON.stringify(ours).length).toBeLessThanOrEqual(3 * 1024);
    expect(text).not.toContain("content of a PDF");
  },
);
