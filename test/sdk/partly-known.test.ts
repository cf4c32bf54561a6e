import * as pulumi from "@pulumi/pulumi";
import { beforeAll, expect, test } from "vitest";
import * as docsign from "../../sdk/index.js";

const { specialSigKey, specialSecretSig } = pulumi.runtime;
const secret = (value: unknown) => ({ [specialSigKey]: specialSecretSig, value });

/** Inputs by resource, as the engine gets them in a preview. */
const sent = new Map<string, Record<string, unknown>>();

beforeAll(async () => {
  const newResource = ({ name, inputs }: pulumi.runtime.MockResourceArgs) => {
    sent.set(name, inputs);
    return { id: undefined, state: {} };
  };
  await pulumi.runtime.setMocks({ newResource, call: ({ inputs }) => inputs }, "contracts", "test", true);
});

/** Made with an output that isn't known yet. */
async function sentBy(make: (unknown: pulumi.Output<string>) => pulumi.CustomResource) {
  const made = make(new docsign.Folder("contracts", { name: "Contracts" }).folderId);
  await new Promise(resolve => void made.urn.apply(resolve));
  return sent.get("made");
}

const invitations = [{ email: "ana@example.com" }];

test("a preview says all of a set whose folder is new but the folder's id", async () => {
  const args = (folderId: pulumi.Output<string>) => ({
    documents: { ana: { invitations }, bob: { folderId } },
    defaults: Promise.resolve({ name: "NDA", folderId }),
  });
  expect(await sentBy(folderId => new docsign.DocumentSet("made", args(folderId)))).toMatchObject({
    documentRows: { ana: { invitations }, bob: { folderId: pulumi.unknown } },
    defaults: { name: "NDA", folderId: pulumi.unknown },
  });
});

test("a preview says of a document's people and variables what is known", async () => {
  const args = (email: pulumi.Output<string>) => ({
    name: "NDA",
    invitations: [...invitations, { email }],
    variables: { name: "Ana", office: email },
  });
  expect(await sentBy(email => new docsign.Document("made", args(email)))).toMatchObject({
    invitations: [...invitations, { email: pulumi.unknown }],
    variables: { name: "Ana", office: pulumi.unknown },
  });
});

test("what holds a secret is secret as a whole, and its known parts are said", async () => {
  const args = (folderId: pulumi.Output<string>) => ({
    documents: { ana: { invitations } },
    defaults: { name: pulumi.secret("NDA"), description: "Mutual", folderId },
  });
  expect(await sentBy(folderId => new docsign.DocumentSet("made", args(folderId)))).toMatchObject({
    // Mocks get the mark of what is inside around the whole, too.
    defaults: secret(secret({ name: "NDA", description: "Mutual", folderId: pulumi.unknown })),
    secretInputs: ["defaults"],
  });
});

test("an input that isn't known at all isn't known", async () => {
  expect(
    await sentBy(name => new docsign.DocumentSet("made", { documents: { ana: {} }, defaults: name.apply(() => ({})) })),
  ).toMatchObject({ defaults: pulumi.unknown });
});
