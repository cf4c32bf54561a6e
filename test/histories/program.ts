import { createHash } from "node:crypto";
import { Asset, type Values } from "../../kit/values.js";
import { base64, pdf } from "../lifecycle/scene.js";
import type { DocumentRecord } from "../support/independent-service/records.js";
import type { Goal } from "../support/simulated-engine.js";

export const PEOPLE = ["ana", "bob", "cy", "dee", "eve"] as const;
const TITLES = ["NDA", "Lease"] as const;
export const PDFS = ["A", "B", "C"] as const;
const STARTS = ["March", "May"] as const;

/** All that makes two contracts the same: whose, its title, its PDF, and one cell of the table. */
export interface Content {
  readonly person: (typeof PEOPLE)[number];
  readonly title: (typeof TITLES)[number];
  readonly pdf: (typeof PDFS)[number];
  readonly start: (typeof STARTS)[number];
}

interface Single {
  readonly kind: "document";
  readonly name: string;
  /** The name it had before. */
  readonly alias?: string;
  readonly content: Content;
}

export interface Several {
  readonly kind: "set";
  readonly name: string;
  readonly alias?: string;
  readonly rows: readonly Content[];
  /** As a CSV, where the rows differ in nothing but their cells. */
  readonly table: boolean;
  /** `whenSigned: keep`. */
  readonly keeps: boolean;
}

export type Declared = Single | Several;
/** A stack's program: resources in the order in which they are registered. */
export type Program = readonly Declared[];

export const TYPES = { document: "docsign:index:Document", set: "docsign:index:DocumentSet" } as const;
/** Who countersigns each contract. */
const COUNTERSIGNER = "legal@example.org";
export const PEOPLE_OF_EACH = 2;

export const addressOf = (person: string): string => `${person}@example.com`;

export const contentsIn = (program: Program): Content[] =>
  program.flatMap(declared => (declared.kind === "document" ? [declared.content] : declared.rows));

/** What two documents have in common that are exactly alike, as program and ledger say it. */
export const keyOf = ({ person, title, pdf: variant, start }: Content): string =>
  `${titleOf({ person, title })} ${variant} ${start}`;

/** What two documents have in common that have the same name and people. */
export const titleOf = ({ person, title }: Pick<Content, "person" | "title">): string => `${title} of ${person}`;

const textOf = (variant: string): string => `contract ${variant}`;
const invitationsOf = (person: string): Values[] => [
  { email: addressOf(person), name: person },
  { email: COUNTERSIGNER, name: "Legal" },
];

/** Of a document at the service. */
export function contentOf({ name, description, uploadedSha256 }: DocumentRecord): Content {
  const [, title, person] = /^(\w+) of (\w+)$/.exec(name) ?? [];
  const variant = PDFS.find(each => sha256Of[each] === uploadedSha256);
  return { person, title, pdf: variant, start: description?.replace(/^from /, "") } as Content;
}

const sha256Of = Object.fromEntries(
  PDFS.map(variant => [
    variant,
    createHash("sha256")
      .update(pdf(textOf(variant)))
      .digest("hex"),
  ]),
);

const inputsOf = (content: Content): Values => ({
  name: titleOf(content),
  description: `from ${content.start}`,
  invitations: invitationsOf(content.person),
  base64File: base64(textOf(content.pdf)),
});

/** The same made on the platform by somebody else. */
export const uploadOf = (content: Content) => ({
  name: titleOf(content),
  description: `from ${content.start}`,
  pdf: pdf(textOf(content.pdf)),
  emails: invitationsOf(content.person).map(({ email }) => String(email)),
});

const hasTable = ({ table, rows }: Several): boolean =>
  table && new Set(rows.map(({ title, pdf: variant }) => `${title} ${variant}`)).size <= 1;

function tableOf({ rows }: Several): Values {
  const lines = rows.map(({ person, start }) => `${addressOf(person)},${person},${start}\n`);
  const { title = "NDA", pdf: variant = "A" } = rows[0] ?? {};
  return {
    table: new Asset({ text: `email,name,start\n${lines.join("")}` }),
    key: "{{email}}",
    defaults: {
      name: `${title} of {{name}}`,
      description: "from {{start}}",
      invitations: [
        { email: "{{email}}", name: "{{name}}" },
        { email: COUNTERSIGNER, name: "Legal" },
      ],
      base64File: base64(textOf(variant)),
    },
  };
}

/** As the simulated engine takes it; `rows`: the input that has a set's rows at this front end. */
export function goalOf(declared: Declared, rows: "documents" | "documentRows", isForced = false): Goal {
  const { name, alias, kind } = declared;
  const asTable = kind === "set" && rows === "documents" && hasTable(declared);
  const inputs =
    kind === "document"
      ? inputsOf(declared.content)
      : asTable
        ? tableOf(declared)
        : { [rows]: Object.fromEntries(declared.rows.map(row => [addressOf(row.person), inputsOf(row)])) };
  const keeps = kind === "set" && declared.keeps ? { whenSigned: "keep" } : {};
  return {
    name,
    type: TYPES[kind],
    inputs: { ...inputs, ...keeps } as Goal["inputs"],
    ...(alias === undefined ? {} : { alias }),
    // As the docs say: the engine then shows what state holds.
    ...(isForced ? { deleteBeforeReplace: true } : {}),
  };
}
