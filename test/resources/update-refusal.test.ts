import { describe, expect, it } from "vitest";
import { UNKNOWN, type Values } from "../../kit/values.js";
import { folderResource } from "../../provider/resources/folder.js";
import { reminderResource } from "../../provider/resources/reminder/reminder.js";
import { UserError } from "../../provider/resources/resource.js";
import { gateResource } from "../../provider/resources/signature-gate/signature-gate.js";
import { documentsIn } from "../support/documents.js";
import { startMachine } from "../support/machine.js";

const STATE = { documentId: "5001", service: "https://signing.example" };
const ask = (oldInputs: Values, news: Values, olds: Values = {}) => ({
  id: "5001",
  olds: { ...STATE, ...olds },
  oldInputs,
  news,
});
/** The refusal of an update; undefined where it goes ahead. */
async function refusal(token: string, args: ReturnType<typeof ask>): Promise<string | undefined> {
  using machine = startMachine();
  const run = machine.run({});
  const onKit = [folderResource, gateResource, reminderResource].find(each => each.declaration.token === token);
  const { context } = run.runtime;
  const ours = onKit?.serve(() => context) ?? documentsIn(context);
  try {
    await ours.update(run.call("nda"), args);
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { message } = error;
    // Past the refusal: nothing can be asked here.
    return message.startsWith("the docsign provider isn't configured") ? undefined : message;
  } finally {
    await run.end();
  }
}

const invitations = [{ email: "ana@example.com" }];
const nda: Values = { name: "NDA", invitations, base64File: `sha256:${"a".repeat(64)}` };

describe("an update", () => {
  it("of a document's name is refused, and the refusal says what to do", async () => {
    expect(await refusal("docsign:index:Document", ask(nda, { ...nda, name: "Lease" }))).toBe(
      "Document 5001 can't be updated in place: a change of name takes a new Document. Nothing was changed, and no one was mailed. [docsign/update-replaces]\n" +
        "`pulumi do docsign:index:Document create` makes a new one; in a stack, change the program and run `pulumi up`, which replaces it where that is allowed.",
    );
  });

  it("names every input whose change replaces", async () => {
    const news = { ...nda, base64File: `sha256:${"b".repeat(64)}`, invitations: [{ email: "bob@example.org" }] };
    expect(await refusal("docsign:index:Document", ask(nda, news))).toMatch(/a change of .*invitations.*base64File/);
  });

  it.each([
    ["finishes a document that was created only in part", nda, nda, {}],
    ["takes an input back to what the service holds", { ...nda, folderId: "12" }, nda, { folderId: undefined }],
    [
      "of a message alone changes nothing",
      nda,
      { ...nda, invitations: [{ email: "ana@example.com", message: "Hi" }] },
      {},
    ],
    ["isn't refused for a value that isn't known yet", nda, { ...nda, name: UNKNOWN }, {}],
  ])("%s", async (_, before, after, olds) => {
    expect(
      await refusal("docsign:index:Document", ask(before as Values, after as Values, olds as Values)),
    ).toBeUndefined();
  });

  it.each([
    ["docsign:index:Folder", { name: "A" }, { name: "B" }, "name"],
    ["docsign:index:SignatureGate", { documentId: "1" }, { documentId: "2" }, "documentId"],
    ["docsign:index:Reminder", { documentId: "1" }, { documentId: "2" }, "documentId"],
  ])("of %s is refused for what replaces it", async (token, before, after, name) => {
    expect(await refusal(token, ask(before, after))).toContain(`a change of ${name} takes a new`);
    expect(await refusal(token, ask(before, before))).toBeUndefined();
  });

  it.each([
    [
      "a folder whose new name the service already holds",
      "docsign:index:Folder",
      { name: "A" },
      { name: "B" },
      { name: "B" },
    ],
    [
      "a gate that waits differently",
      "docsign:index:SignatureGate",
      { documentId: "1" },
      { documentId: 1, mode: "wait" },
      {},
    ],
    [
      "a reminder with another trigger",
      "docsign:index:Reminder",
      { documentId: "1" },
      { documentId: "1", triggers: 2 },
      {},
    ],
  ])("goes ahead for %s", async (_, token, before, after, olds) => {
    expect(await refusal(token, ask(before, after as Values, olds))).toBeUndefined();
  });
});
