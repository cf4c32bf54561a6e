import fc from "fast-check";
import type { Values } from "../../kit/values.js";
import { base64 } from "../lifecycle/scene.js";

const line = fc
  .string({ minLength: 1, maxLength: 40, unit: "grapheme" })
  .filter(text => /^[^\p{Cc}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]+$/u.test(text));
const email = fc.constantFrom("ana@example.com", "bob@example.org", "Cleo@example.net", "d.e@example.com");

const invitation = fc.record(
  {
    email,
    name: line,
    message: line,
    stage: fc.integer({ min: 0, max: 3 }),
    allowedSignatureTypes: fc.constantFrom("all", "autograph", "advanced"),
  },
  { requiredKeys: ["email"] },
);

const invitations = fc.uniqueArray(invitation, {
  minLength: 1,
  maxLength: 4,
  selector: ({ email: address, stage }) => `${address} ${stage ?? ""}`,
});

/** A program's document that passes every check. */
export const goodInputs: fc.Arbitrary<Values> = fc
  .record(
    {
      name: line,
      description: line,
      folderId: fc.oneof(fc.integer({ min: 1, max: 9_999_999 }), fc.bigInt({ min: 1n, max: 10n ** 18n }).map(String)),
      invitations,
      base64File: fc.constantFrom("one", "two").map(base64),
      extraParameters: fc.dictionary(fc.stringMatching(/^x_[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 2 }), {
        maxKeys: 2,
      }),
    },
    { requiredKeys: ["name", "invitations", "base64File"] },
  )
  .map(inputs => JSON.parse(JSON.stringify(inputs)) as Values);
