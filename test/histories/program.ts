import { createHash } from "node:crypto";
import { Asset, type Values } from "../../kit/values.js";
import { base64, pdf } from "../lifecycle/scene.js";
import type { DocumentRecord } from "../support/independent-service/records.js";
import { type Goal, Ref } from "../support/simulated-engine.js";

export const PEOPLE = ["ana", "bob", "cy", "dee", "eve"] as const;
const TITLES = ["NDA", "Lease"] as const;
export const PDFS = ["A", "B", "C"] as const;
const STARTS = ["March", "May"] as const;
export const FOLDER_TITLES = ["NDAs", "Contracts"] as const;

/** All that makes two contracts the same: whose, its title, its PDF, one cell of the table, and where it is. */
export interface Content {
  readonly person: (typeof PEOPLE)[number];
  readonly title: (typeof TITLES)[number];
  readonly pdf: (typeof PDFS)[number];
  readonly start: (typeof STARTS)[number];
  /** A folder's id; in a program, the name of one of its folders instead. */
  readonly folder?: string | undefined;
}

export interface Folder {
  readonly kind: "folder";
  readonly name: string;
  readonly alias?: string;
  readonly title: (typeof FOLDER_TITLES)[number];
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

export type Contracts = Single | Several;
export type Declared = Contracts | Folder;
/** A stack's program: resources in the order in which they are registered. */
export type Program = readonly Declared[];

export const TYPES = {
  document: "docsign:index:Document",
  set: "docsign:index:DocumentSet",
  folder: "docsign:index:Folder",
} as const;
/** Who countersigns each contract. */
const COUNTERSIGNER = "legal@example.org";
export const PEOPLE_OF_EACH = 2;

export const addressOf = (person: string): string => `${person}@example.com`;

export const isContracts = (declared: Declared): declared is Contracts => declared.kind !== "folder";
export const isFolder = (declared: Declared): declared is Folder => declared.kind === "folder";

export const contentsOf = (declared: Contracts): readonly Content[] =>
  declared.kind === "document" ? [declared.content] : declared.rows;

export const contentsIn = (program: Program): Content[] => program.filter(isContracts).flatMap(contentsOf);

/** What a program says of each contract, changed. */
export const mapped = (declared: Declared, change: (content: Content) => Content): Declared => {
  if (declared.kind === "folder") return declared;
  return declared.kind === "document"
    ? { ...declared, content: change(declared.content) }
    : { ...declared, rows: declared.rows.map(change) };
};

/** What two documents have in common that are exactly alike, as program and ledger say it. */
export const keyOf = (content: Content): string =>
  `${textOfAll(content)}${content.folder === undefined ? "" : ` in ${content.folder}`}`;

/** The same, wherever they are. */
export const textOfAll = ({ person, title, pdf: variant, start }: Content): string =>
  `${titleOf({ person, title })} ${variant} ${start}`;

/** What two documents have in common that have the same name and people. */
export const titleOf = ({ person, title }: Pick<Content, "person" | "title">): string => `${title} of ${person}`;

const textOf = (variant: string): string => `contract ${variant}`;
const invitationsOf = (person: string): Values[] => [
  { email: addressOf(person), name: person },
  { email: COUNTERSIGNER, name: "Legal" },
];

/** Of a document at the service. */
export function contentOf({ name, description, uploadedSha256, folderId }: DocumentRecord): Content {
  const [, title, person] = /^(\w+) of (\w+)$/.exec(name) ?? [];
  const variant = PDFS.find(each => sha256Of[each] === uploadedSha256);
  const start = description?.replace(/^from /, "");
  return { person, title, pdf: variant, start, folder: folderId ?? undefined } as Content;
}

const sha256Of = Object.fromEntries(
  PDFS.map(variant => [
    variant,
    createHash("sha256")
      .update(pdf(textOf(variant)))
      .digest("hex"),
  ]),
);

const inputsOf = (content: Content): Arguments => ({
  name: titleOf(content),
  description: `from ${content.start}`,
  invitations: invitationsOf(content.person),
  base64File: base64(textOf(content.pdf)),
  ...placeOf(content),
});

type Arguments = Goal["inputs"];

/** A folder that no program has any more is named by its id. */
const placeOf = ({ folder }: Pick<Content, "folder">): Arguments => {
  if (folder === undefined) return {};
  return { folderId: /^\d+$/.test(folder) ? folder : new Ref(folder, "folderId") };
};

/** The same made on the platform by somebody else. */
export const uploadOf = (content: Content) => ({
  name: titleOf(content),
  description: `from ${content.start}`,
  pdf: pdf(textOf(content.pdf)),
  emails: invitationsOf(content.person).map(({ email }) => String(email)),
});

const hasTable = ({ table, rows }: Several): boolean =>
  table && new Set(rows.map(({ title, pdf: variant, folder }) => `${title} ${variant} ${folder}`)).size <= 1;

function tableOf({ rows }: Several): Arguments {
  const lines = rows.map(({ person, start }) => `${addressOf(person)},${person},${start}\n`);
  const { title = "NDA", pdf: variant = "A", folder } = rows[0] ?? {};
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
      ...placeOf({ folder }),
    },
  };
}

/** As the simulated engine takes it; `rows`: the input that has a set's rows at this front end. */
export function goalOf(declared: Declared, rows: "documents" | "documentRows", isForced = false): Goal {
  const { name, alias, kind } = declared;
  const renamed = alias === undefined ? {} : { alias };
  if (kind === "folder") return { name, type: TYPES.folder, inputs: { name: declared.title }, ...renamed };
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
    inputs: { ...inputs, ...keeps } as Arguments,
    ...renamed,
    // As the docs say: the engine then shows what state holds.
    ...(isForced ? { deleteBeforeReplace: true } : {}),
  };
}
