import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DocumentBody } from "../../provider/client/service.js";
import { RowsByName, sameText } from "../../provider/core/same.js";
import { contentOf } from "../../provider/resources/document/content.js";
import { matchOf, type SentContent } from "../../provider/resources/document/lookup.js";
import { peopleOf } from "../../provider/resources/people.js";

const runs = { numRuns: 300 };
const title = fc.string({ minLength: 1, maxLength: 60, unit: "grapheme" }).filter(text => text.trim() !== "");
const long = fc
  .string({ minLength: 40, maxLength: 80, unit: fc.constantFrom(..."abcdefghij &<>") })
  .filter(text => text.trim().length >= 40);
const blanks = fc.stringMatching(/^[ \t\n]{0,3}$/);

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escaped = (text: string): string => text.replace(/[&<>"']/g, each => ESCAPES[each] ?? each);

test("rows are found by name as one comparison after another finds them", () => {
  const piece = fc.constantFrom("Contract of ", "somebody long ", "&amp;", "&", " ", "…", "...", "é", "e\u0301", "Ana");
  const name = fc.array(piece, { minLength: 1, maxLength: 6 }).map(pieces => pieces.join(""));
  fc.assert(
    fc.property(name, fc.array(name, { maxLength: 12 }), (sent, names) => {
      const rows = names.map(each => ({ name: each }));
      const found = new RowsByName(() => rows).of(sent);
      expect(rows.filter(row => found.includes(row))).toEqual(rows.filter(row => sameText(sent, row.name)));
    }),
    runs,
  );
});

describe("a text is the same", () => {
  test("trimmed, padded, escaped or composed otherwise", () => {
    fc.assert(
      fc.property(title, blanks, blanks, (text, before, after) => {
        for (const shown of [text, text.trim(), before + text + after, text.normalize("NFD"), escaped(text)])
          expect(sameText(text, shown), JSON.stringify([text, shown])).toBe(true);
      }),
      runs,
    );
  });

  test("cut, with dots or without, while enough of it is left", () => {
    fc.assert(
      fc.property(long, fc.integer({ min: 20, max: 39 }), fc.constantFrom("", "…", "..."), (text, length, dots) => {
        const whole = text.trim().replace(/\s+/g, " ");
        const shown = whole.slice(0, length);
        fc.pre(shown.trim().length >= 16 && !shown.includes("&"));
        expect(sameText(text, shown + dots)).toBe(true);
      }),
      runs,
    );
  });

  test("never where it begins otherwise, or is cut to next to nothing", () => {
    fc.assert(
      fc.property(long, text => {
        expect(sameText(text, `#${text.trim()}`)).toBe(false);
        expect(sameText(`${text.trim()}!`, text.trim().slice(0, 5))).toBe(false);
      }),
      runs,
    );
  });
});

const people = fc.uniqueArray(
  fc.constantFrom("ana@example.com", "Bob@Example.org", "cleo@example.net", "d.e@example.com"),
  { minLength: 1, maxLength: 4 },
);
const HASH = createHash("sha256").update("pdf").digest("hex");

const document = fc.record({ name: title, description: fc.option(title, { nil: undefined }), emails: people });

function sentOf({
  name,
  description,
  emails,
}: {
  name: string;
  description?: string | undefined;
  emails: string[];
}): SentContent {
  const invitations = emails.map(email => ({ email }));
  const fields = { name, description, invitations, folderId: undefined, extraParameters: undefined };
  return { ...fields, content: contentOf(fields, peopleOf(invitations), HASH) } as unknown as SentContent;
}

const shownAs = (name: string, description: string | null, emails: readonly (string | null)[]): DocumentBody =>
  ({
    id: "1",
    name,
    description,
    status: "unsigned",
    invitations: emails.map(email => ({ email })),
    files: [],
  }) as unknown as DocumentBody;

const pdf = (hash: string | undefined) => async () => hash;

describe("a document is what was sent", () => {
  test("with its invitations in another order, addresses in lower case and texts trimmed or escaped", async () => {
    await fc.assert(
      fc.asyncProperty(document, async given => {
        const { name, description, emails } = given;
        const shown = shownAs(
          escaped(name.trim()),
          description === undefined ? null : escaped(description.trim()),
          emails.toReversed().map(email => email.toLowerCase()),
        );
        expect(await matchOf(shown, sentOf(given), pdf(HASH))).toBe("same");
        // Another run knows the hashes alone: those of a trimmed text are the same.
        const { content } = sentOf(given);
        const plain = shownAs(name.trim(), description?.trim() ?? "", emails.toReversed());
        expect(await matchOf(plain, { content }, pdf(HASH))).toBe("same");
      }),
      runs,
    );
  });

  test("at most similar with another PDF, other people or another name, and another one with two of them", async () => {
    await fc.assert(
      fc.asyncProperty(document, async given => {
        const { name, description, emails } = given;
        const text = description ?? null;
        const [others, renamed] = [[...emails, "zoe@example.com"], `# ${name}`];
        const sent = sentOf(given);
        const match = (...[shown, hash]: [DocumentBody, string]) => matchOf(shown, sent, pdf(hash));
        expect(await match(shownAs(name, text, emails), "another")).toBe("similar");
        expect(await match(shownAs(name, text, others), HASH)).toBe("similar");
        expect(await match(shownAs(renamed, text, emails), HASH)).toBe("similar");
        expect(await match(shownAs(renamed, text, others), HASH)).toBe("other");
        expect(await match(shownAs(renamed, text, emails), "another")).toBe("other");
        expect(await match(shownAs(name, text, others), "another")).toBe("other");
      }),
      runs,
    );
  });

  test("never surely, where the service leaves out the addresses or the PDF", async () => {
    await fc.assert(
      fc.asyncProperty(document, async given => {
        const { name, description, emails } = given;
        const text = description ?? null;
        expect(
          await matchOf(
            shownAs(
              name,
              text,
              emails.map(() => null),
            ),
            sentOf(given),
            pdf(HASH),
          ),
        ).toBe("similar");
        expect(await matchOf(shownAs(name, text, emails), sentOf(given), pdf(undefined))).toBe("similar");
      }),
      runs,
    );
  });

  test("never with another create's marker", async () => {
    await fc.assert(
      fc.asyncProperty(document, async given => {
        const shown = shownAs(given.name, "[docsign:0123456789ab]", given.emails);
        expect(await matchOf(shown, sentOf(given), pdf(HASH))).toBe("other");
      }),
      runs,
    );
  });
});
