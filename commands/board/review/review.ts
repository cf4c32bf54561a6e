import { join } from "node:path";
import { readRegularFile } from "../../../sdk/templates/parts.js";
import { CommandError, writeWhole } from "../../cli/flags.js";
import { makeFolder } from "../../cli/folder.js";
import { redline } from "../../redline/redline.js";
import {
  type Content,
  type ContentResult,
  contentOf,
  type Inputs,
  identityOfText,
  type Pair,
  pdfContent,
  rowsOf,
  type Sides,
  templateHash,
} from "./contents.js";
import { finderIn } from "./finder.js";
import { type Planned, plannedContracts, type RefusedContracts } from "./planned.js";
import { committedVersion, workingVersion } from "./repository.js";

/** One contract, or the template of a set, before and after. */
export type Reviewed = Readonly<Awaited<ReturnType<typeof reviewed>>>;

export interface Review {
  readonly base: string;
  readonly contracts: readonly Reviewed[];
  /** Contracts of which nothing is shown. */
  readonly more: number;
  /** Why there is no review. */
  readonly problem?: string;
}

interface ReviewOptions {
  readonly base: string;
  readonly pdfs: string | undefined;
  /** What `docsign evidence pull` wrote. */
  readonly evidence?: string | undefined;
  readonly cwd: string;
}

/** Contracts of a preview that are read; each is rendered twice. */
const MOST_CONTRACTS = 40;
const LARGEST_PDF = 64 * 1024 * 1024;
/** Pages that a note names. */
const MOST_PAGES = 10;
/** Rows of a set that are shown in full. */
const MOST_ROWS = 3;

/** What the contracts of a preview would say, beside what those in their place say now. */
export async function reviewOf(preview: unknown, options: ReviewOptions): Promise<Review> {
  const { base, cwd, pdfs } = options;
  const planned = plannedContracts(preview);
  if (planned.length === 0) return { base, contracts: [], more: 0 };
  let sides: Sides;
  try {
    sides = { before: finderIn(committedVersion(cwd, base)), after: finderIn(workingVersion(cwd)), base };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { base, contracts: [], more: 0, problem: error.message };
  }
  const contracts: Reviewed[] = [];
  let more = 0;
  if (pdfs !== undefined) makeFolder(pdfs);
  for (const each of planned.flatMap(one => (one.kind === "set" ? ofSet(one, sides) : [ofDocument(one)]))) {
    if (contracts.length >= MOST_CONTRACTS) more++;
    else if ("more" in each) more += each.more;
    else contracts.push(await reviewed(each, sides, { ...options, number: contracts.length + 1 }));
  }
  return { base, contracts, more };
}

interface ContractChange {
  readonly name: string;
  /** Why it can't be told what would be sent. */
  readonly wrong?: string;
  readonly what: "new" | "replaced" | "refused" | "template";
  readonly before: Inputs | undefined;
  /** Why it can't be told what was sent. */
  readonly wrongBefore?: string | undefined;
  readonly after: Inputs;
  readonly refused?: RefusedContracts | undefined;
  /** The document that is refused, where it is known. */
  readonly id?: string | undefined;
}

const ofDocument = ({ resource, before, after, refused }: Planned): ContractChange => ({
  name: typeof after["name"] === "string" ? after["name"] : resource,
  what: refused ? "refused" : before ? "replaced" : "new",
  ...{ before, after, refused, id: refused?.ids.get("") },
});

/** The template of a set once, where it is another one, then a few of its rows. */
function ofSet(
  { resource, before, after, refused }: Planned,
  sides: Sides,
): (ContractChange | { readonly more: number })[] {
  const rows = rowsOf(before, after, sides, refused !== undefined);
  if ("wrong" in rows)
    return [{ name: resource, what: refused ? "refused" : "template", before, after: {}, refused, wrong: rows.wrong }];
  const isRefused = ({ key }: Pair) => refused?.ids.has(key) ?? false;
  const changed = rows.pairs.filter(pair => pair.before && identityOfText(pair.before) !== identityOfText(pair.after));
  const fresh = rows.pairs.filter(pair => pair.before === undefined);
  const shown = refused ? rows.pairs.filter(isRefused) : [...changed, ...fresh];
  const other = changed.find(pair => templateHash(pair.before ?? {}) !== templateHash(pair.after));
  return [
    ...(other ? [{ name: `${resource}, its template`, what: "template" as const, ...byName(other) }] : []),
    ...shown.slice(0, MOST_ROWS).map(pair => ({
      name: `${resource}: ${pair.key}`,
      what: refused ? ("refused" as const) : pair.before ? ("replaced" as const) : ("new" as const),
      before: pair.before ?? (rows.wrongBefore === undefined ? undefined : {}),
      wrongBefore: pair.before ? undefined : rows.wrongBefore,
      after: pair.after,
      ...{ refused, id: refused?.ids.get(pair.key) },
    })),
    { more: Math.max(0, shown.length - MOST_ROWS) },
  ];
}

/** A row with the names of its variables in place of their texts. */
function byName({ before, after }: Pair): { before: Inputs | undefined; after: Inputs } {
  const withTitle = (inputs: Inputs): Inputs => {
    const variables = Object.entries((inputs["variables"] ?? {}) as object).map(([name, value]: [string, unknown]) => [
      name,
      typeof value === "string" ? `{{${name}}}` : value,
    ]);
    return { ...inputs, variables: Object.fromEntries(variables) };
  };
  return { before: before && withTitle(before), after: withTitle(after) };
}

async function reviewed(
  { name, what, before, wrongBefore, after, wrong, refused, id }: ContractChange,
  sides: Sides,
  { pdfs, evidence, number }: ReviewOptions & { readonly number: number },
) {
  const given = wrong === undefined ? await contentOf(after, sides.after, "this folder") : { wrong };
  const sent = before && (await sentContent(before, wrongBefore, sides));
  const read = sent && "wrong" in sent ? await signedPdf(evidence, id) : undefined;
  const signed = read && known(read);
  const old =
    signed ?? (read && sent && "wrong" in read && "wrong" in sent ? { wrong: `${sent.wrong}; ${read.wrong}` } : sent);
  // Both are read in the same way, so that only words differ.
  const fresh = signed && "printed" in given && given.printed ? await pdfContent(given.printed.pdf) : given;
  const isNamed = refused?.isNamed === true && "variables" in after;
  const [now, then] = [known(fresh), old && known(old)];
  /** Why something isn't shown. */
  const notes = [
    ...(isNamed ? ["A name in brackets, such as [rent], stands for a value that the preview's log doesn't show."] : []),
    ...(signed && sent && "wrong" in sent ? [`Compared with the text of the signed PDF: ${sent.wrong}.`] : []),
    ...("wrong" in fresh ? [`What would be sent isn't shown: ${fresh.wrong}.`] : []),
    ...(old && "wrong" in old
      ? [
          `What was sent isn't shown: ${old.wrong}.${id === undefined || evidence !== undefined ? "" : " With --evidence it is read off the signed PDF."}`,
        ]
      : []),
    ...((now && !now.printed) || (then && !then.printed)
      ? ["Some values are secret or not known yet, so pages aren't counted, and a change of these values isn't shown."]
      : []),
    ...(now?.form && then?.form && !isSame(now.form, then.form)
      ? ["The PDF form is another one; only its fields are compared here."]
      : []),
    ...silentPages("What would be sent", now),
    ...silentPages("What was sent", then),
  ];
  const [pdf, oldPdf] = [fresh, old].map(side => (side && "printed" in side ? side.printed : undefined));
  // Names in place of values make other pages, and another PDF.
  const isContract = what !== "template" && !isNamed;
  const stem = `${String(number).padStart(2, "0")}-${slug(name)}`;
  /** Names of those that were written. */
  const files =
    pdfs === undefined || !isContract
      ? []
      : await writtenPdfs(pdfs, { [`${stem}.pdf`]: pdf?.pdf, [`${stem}-before.pdf`]: oldPdf?.pdf });
  return {
    ...{ name, what, notes, files, signedBy: refused?.signedBy ?? [] },
    pages: { before: isContract ? oldPdf?.pages : undefined, after: isContract ? pdf?.pages : undefined },
    redline: now && then && redline(then.clauses, now.clauses),
    /** Whether the PDF is another one; undefined where that isn't known. */
    isOther: pdf && oldPdf ? !isSame(pdf.pdf, oldPdf.pdf) : undefined,
  };
}

const sentContent = async (before: Inputs, wrong: string | undefined, sides: Sides): Promise<ContentResult> =>
  wrong === undefined ? contentOf(before, sides.before, sides.base) : { wrong };

/** What everybody signed, as `docsign evidence pull` wrote it. */
async function signedPdf(evidence: string | undefined, id: string | undefined): Promise<ContentResult | undefined> {
  if (evidence === undefined || id === undefined) return undefined;
  const file = readRegularFile(join(evidence, id, "signed.pdf"), LARGEST_PDF);
  return "wrong" in file ? { wrong: `${evidence} has no signed PDF of document ${id}` } : pdfContent(file.bytes);
}

const silentPages = (what: string, read: Content | undefined): string[] =>
  read?.silent?.length
    ? [
        `${what} has no text that can be read on ${read.silent.length === 1 ? "page" : "pages"} ${read.silent.slice(0, MOST_PAGES).join(", ")}${read.silent.length > MOST_PAGES ? ", …" : ""}.`,
      ]
    : [];

const known = (read: ContentResult): Content | undefined => ("wrong" in read ? undefined : read);

const isSame = (one: Uint8Array, other: Uint8Array): boolean => Buffer.compare(one, other) === 0;

/** Names are other people's text: a file's has nothing of them but plain letters and digits. */
const slug = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "") || "contract";

async function writtenPdfs(folder: string, pdfs: Readonly<Record<string, Uint8Array | undefined>>): Promise<string[]> {
  const files: string[] = [];
  for (const [name, bytes] of Object.entries(pdfs)) {
    if (bytes === undefined) continue;
    await writeWhole(join(folder, name), bytes, { name });
    files.push(name);
  }
  return files;
}
