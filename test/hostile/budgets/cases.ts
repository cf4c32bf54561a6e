import { documentsOf } from "../../../commands/board/documents.js";
import { readPreview } from "../../../commands/board/preview.js";
import { readExport } from "../../../commands/board/state.js";
import { clausesOfLines, type PdfLine } from "../../../commands/redline/pdf-clauses.js";
import { decode, encode } from "../../../kit/codec.js";
import { SERVICE as PLUGIN } from "../../../kit/messages.js";
import { Asset, type Values } from "../../../kit/values.js";
import { Writer } from "../../../kit/wire.js";
import { datedDocument, listedDocument, payloadOf, wholeDocument } from "../../../provider/client/bodies.js";
import type { RequestInfo } from "../../../provider/client/errors.js";
import { Redactor } from "../../../provider/client/json.js";
import { RowReader, rowsOf } from "../../../provider/client/lists.js";
import { checkSet } from "../../../provider/resources/document-set/rows.js";
import { readTable } from "../../../provider/resources/document-set/table.js";
import type { Log } from "../../../provider/resources/journal/log.js";
import { LoggedJournal } from "../../../provider/resources/journal/logged-journal.js";
import { HeldPdfs } from "../../../provider/resources/pdf/asset-source.js";
import type { PdfSources } from "../../../provider/resources/pdf/pdf-input.js";
import { TemplateStore } from "../../../provider/resources/pdf/template-input.js";
import { signerRows } from "../../../provider/resources/signers.js";
import { renderTemplate, type TemplateVariable } from "../../../sdk/templates/index.js";

export interface Case {
  readonly size: number;
  /** `mark`, a letter, is another one each time: what was printed before is remembered. */
  readonly work: (size: number, mark: string) => unknown;
}

/** As long for a large number as for a small one. */
const padded = (index: number): string => String(index).padStart(6, "0");

const lines = (count: number, line: (index: number) => string, between = "\n"): string =>
  Array.from({ length: count }, (_, index) => line(index)).join(between);

const asking: RequestInfo = {
  endpoint: "GET https://api.example.com/v1/documents",
  origin: "https://api.example.com",
  source: "docsign:apiKey",
  redactor: new Redactor(),
  now: 0,
};
const answered = (body: object) => ({ ...asking, status: 200, headers: {}, text: JSON.stringify(body) });
const row = (id: number) => ({ id, name: `NDA ${id}`, status: "unsigned", organization: { id: 1, name: "O" } });
async function* listOf(count: number) {
  yield Buffer.from(JSON.stringify({ ok: true, payload: Array.from({ length: count }, (_, id) => row(id + 1)) }));
}
const listed = (count: number) => ({ ...asking, status: 200, headers: {}, chunks: listOf(count) });
const documentOf = (people: number) => ({
  ...row(7),
  files: [
    {
      id: 1,
      version: "1",
      signers: Array.from({ length: people }, (_, i) => ({ id: i + 1, email: `p${i}@example.com` })),
    },
  ],
  invitations: Array.from({ length: people }, (_, i) => ({ id: i + 1, invite_email: `P${i}@example.com` })),
});

const answers: Record<string, Case> = {
  "a list's rows": { size: 200, work: size => rowsOf(new RowReader(listedDocument), listed(size)) },
  "rows of a list by date": { size: 200, work: size => rowsOf(new RowReader(datedDocument), listed(size)) },
  "a document's people": {
    size: 100,
    work: size => signerRows(payloadOf(answered({ ok: true, payload: documentOf(size) }), wholeDocument)),
  },
};

const read = (text: string) => readTable(Buffer.from(text));
const columns = (count: number) => lines(count, index => `c${padded(index)}`, ",");
const tables: Record<string, Case> = {
  "a table's columns": { size: 90, work: size => read(`${columns(size)}\n${columns(size)}\n`) },
  "a table's rows": { size: 500, work: size => read(`a,b\n${lines(size, index => `${padded(index)},x`)}`) },
  "a table's wrong rows": { size: 500, work: size => read(`a,b\n${lines(size, index => padded(index))}`) },
  "a table's empty lines": { size: 1_000, work: size => read(`a,b\n${"\n".repeat(size)}`) },
  "quotes in a cell": { size: 1_000, work: size => read(`a,b\nx,"${'""'.repeat(size)}"\n`) },
  "quotes that aren't closed": { size: 1_000, work: size => read(`a,b\n${'"'.repeat(size + 1)}`) },
  "line breaks in a cell": { size: 1_000, work: size => read(`a,b\nx,"${"\n".repeat(size)}"\n`) },
  "delimiters in a row": { size: 1_000, work: size => read(`a\n${",".repeat(size)}\n`) },
};

const store = new TemplateStore({ render: async () => ({ problems: [] }), problemsOf: async () => [] }, async () => ({
  wrong: "no remote files here",
}));
const pdfs: PdfSources = {
  held: new HeldPdfs("/nowhere"),
  fetchRemote: async () => ({ wrong: "no remote files here" }),
  templates: store,
};
const defaults: Values = {
  name: "NDA of {{name}}",
  base64File: Buffer.from("%PDF-1.4\n").toString("base64"),
  invitations: [{ email: "{{email}}" }],
};
const check = (count: number, email: (index: number) => string) => {
  const table = new Asset({ text: `email,name\n${lines(count, index => `${email(index)},P${padded(index)}`)}` });
  return checkSet({ olds: undefined, given: { table, key: "{{email}}", defaults }, secrets: new Set() }, pdfs);
};
const documents = (count: number): Values =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `k${padded(index)}`,
      { invitations: [{ email: `p${padded(index)}@example.com` }] },
    ]),
  );
const pdfLines = (pages: number): PdfLine[] =>
  Array.from({ length: 3 * pages }, (_, index) => {
    const page = 1 + Math.floor(index / 3);
    return {
      page,
      text: index % 3 === 2 ? `${page} of ${pages}` : `line ${padded(index)}`,
      size: 10,
      y: 700 - (index % 3),
    };
  });
const redlines: Record<string, Case> = {
  "pages of a PDF's text": { size: 40, work: size => clausesOfLines(pdfLines(size), size) },
};
const sets: Record<string, Case> = {
  "a set's rows": { size: 50, work: size => check(size, index => `p${padded(index)}@example.com`) },
  "a set's rows with one mistake": { size: 50, work: size => check(size, () => "nobody") },
  "a set's rows with one key": { size: 50, work: size => check(size, () => "ana@example.com") },
  "a set's documents": {
    size: 50,
    work: size => {
      const given = { documents: documents(size), defaults: { ...defaults, name: "NDA" } };
      return checkSet({ olds: undefined, given, secrets: new Set() }, pdfs);
    },
  },
};

/** Printed, or refused: either may take work. */
const print = (markdown: string, variables: Record<string, string> = {}) =>
  renderTemplate({ template: { markdown }, variables }).catch(error => error);
const printWith = (markdown: string, variables: Record<string, TemplateVariable>) =>
  renderTemplate({ template: { markdown }, variables }).catch(error => error);
const templates: Record<string, Case> = {
  "paragraphs of a template": {
    size: 30,
    work: (size, mark) => print(lines(size, index => `Some words, ${mark}${padded(index)}.`, "\n\n")),
  },
  "lines of a paragraph": {
    size: 100,
    work: (size, mark) => print(lines(size, index => `words ${mark}${padded(index)}`)),
  },
  "a word's letters": { size: 3_000, work: (size, mark) => print(mark.repeat(size)) },
  "a variable's letters": { size: 3_000, work: (size, mark) => print("{{v}}", { v: mark.repeat(size) }) },
  "a template's variables": { size: 50, work: (size, mark) => print("{{v}} and ".repeat(size), { v: mark }) },
  "variables that aren't given": {
    size: 100,
    work: (size, mark) => print(lines(size, index => `{{${mark}${padded(index)}}}`, "\n\n")),
  },
  "items of a list": { size: 30, work: (size, mark) => print(lines(size, index => `- item ${mark}${padded(index)}`)) },
  "rows of a table": {
    size: 30,
    work: (size, mark) => print(`|a|b|\n|-|-|\n${lines(size, index => `|x|${mark}${padded(index)}|`)}`),
  },
  "items of a repeated part": {
    size: 30,
    work: (size, mark) =>
      printWith("{{#each a}}\n{{b}} {{c}}\n\n{{/each}}", {
        a: Array.from({ length: size }, (_, index) => ({ b: `${mark}${padded(index)}` })),
        c: mark,
      }),
  },
  "optional parts": {
    size: 50,
    work: (size, mark) =>
      print(
        lines(size, index => `{{#if v}}\n${mark}${padded(index)}\n{{/if}}`),
        { v: "x" },
      ),
  },
  "optional parts in one line": {
    size: 100,
    work: (size, mark) => print("{{#if v}}a{{/if}}".repeat(size), { v: mark }),
  },
  "parts that aren't closed": { size: 100, work: size => print("{{#if v}}".repeat(size), { v: "x" }) },
  "ends without a start": { size: 100, work: size => print("{{/if}}".repeat(size)) },
  "fields that no item has": {
    size: 50,
    work: (size, mark) =>
      printWith(`{{#each a}}${lines(size, index => `{{${mark}${padded(index)}}}`)}{{/each}}`, { a: [{ x: "1" }] }),
  },
  "names of images": {
    size: 50,
    work: (size, mark) => print(lines(size, index => `![a](${mark}${padded(index)}.png)`)),
  },
  "the beginnings of images": { size: 500, work: size => print(lines(size, () => "![a](b")) },
  "lines of a header": { size: 100, work: (size, mark) => print(`\`\`\`header\n${`${mark}\n`.repeat(size)}\`\`\``) },
  brackets: { size: 5, work: size => print(lines(size, () => "[".repeat(1_000), "\n\n")) },
  "brackets in one part": { size: 1_000, work: size => print("[".repeat(size)) },
  emphasis: { size: 5, work: size => print(lines(size, () => "*a_ ".repeat(300), "\n\n")) },
  "emphasis in one part": { size: 1_000, work: size => print("*a_".repeat(size)) },
  backticks: {
    size: 5,
    work: size => print(lines(size, () => lines(15, run => `${"`".repeat(run + 1)}a`, " "), "\n\n")),
  },
  "quotes that are nested": { size: 100, work: size => print(">".repeat(size)) },
  "lists that are nested in a line": { size: 100, work: size => print(`${"- ".repeat(size)}a`) },
  "lists that are nested": { size: 12, work: size => print(lines(size, index => `${"  ".repeat(index)}- a`)) },
  comments: { size: 50, work: size => print(`${"<!-- a -->".repeat(size)} x`) },
  "comments that aren't closed": { size: 300, work: size => print("<!--".repeat(size)) },
};

const SERVICE = "https://api.example.com";
const scopeOf = (index: number) => ({
  service: SERVICE,
  urn: `urn:pulumi:dev::p::docsign:index:Document::d${padded(index)}`,
});
/** A journal that reads these lines, and is asked about one resource. */
async function journalOf(entries: readonly object[]) {
  const written = entries.map(entry => JSON.stringify(entry));
  const log: Log = {
    ...{ name: "the journal", advice: "", isShared: false, isWhole: true },
    exchange: async () => written.splice(0),
    compact: async () => {},
    close: async () => {},
  };
  await new LoggedJournal(log, { run: "r" }).resource(scopeOf(0));
}
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const begins = (index: number) => ({
  ...{ op: "begin", ...scopeOf(index), token: `t${padded(index)}`, run: "q", startedAt: 1, supersedes: [], owned: [] },
  ...{ fingerprint: `f${padded(index)}`, name: "n", sha256: "s", invitees: "i", description: "d", hints: [] },
});
const hints = (index: number) => ({ op: "hint", ...scopeOf(index), token: `t${padded(index)}`, id: "1" });
const withdraws = (index: number) => ({ op: "withdraw", ...scopeOf(index), token: `t${padded(index)}` });
const reminds = (resource: number, index: number) => ({
  ...{ op: "remind", ...scopeOf(resource), at: 1, knows: [] },
  rows: [{ invitationId: padded(index), round: "r", at: "2026-01-01", outcome: "unknown", token: `t${padded(index)}` }],
});
const reminded = (resource: number, index: number) => ({
  ...{ op: "reminded", ...scopeOf(resource), token: `t${padded(index)}` },
});
const claims = (index: number) => ({
  ...{ op: "claim", ...scopeOf(index), id: String(index + 1), run: "q", supersedes: [], at: 1 },
  fingerprint: `f${padded(index)}`,
});
const journals: Record<string, Case> = {
  "a journal's creates": { size: 50, work: size => journalOf(times(size, i => [begins(i), claims(i)]).flat()) },
  "a journal's open creates": { size: 50, work: size => journalOf(times(size, begins)) },
  "a journal's open creates of one content": {
    size: 50,
    work: size =>
      journalOf(times(size, i => [{ ...begins(i), fingerprint: "f", knows: [] }, hints(i), withdraws(i)]).flat()),
  },
  "a journal's reminders": {
    size: 50,
    work: size => journalOf(times(size, i => [reminds(i, i), reminded(i, i)]).flat()),
  },
  "a journal's reminders of one resource": {
    size: 50,
    work: size => journalOf(times(size, i => [reminds(0, i), reminded(0, i)]).flat()),
  },
  "a journal's lines about one document": { size: 500, work: size => journalOf(times(size, () => claims(0))) },
};

const exported = (resources: readonly object[]) => ({ version: 3, deployment: { resources } });
const stored = (index: number) => ({
  ...{ urn: scopeOf(index).urn, type: "docsign:index:Document" },
  outputs: { documentId: String(index + 1), name: "NDA", status: "unsigned", pendingSigners: [] },
});
const step = (index: number) => ({
  ...{ op: "create", urn: scopeOf(index).urn },
  newState: { inputs: { name: "NDA", invitations: [{ email: `p${padded(index)}@example.com` }] } },
});
const notice = (index: number) => ({
  ...{ urn: scopeOf(index).urn, severity: "info" },
  message: "will mail x [docsign/facts mails=1&sends=1]",
});
const states: Record<string, Case> = {
  "values of the engine": { size: 50, work: size => decode(encode({ documents: documents(size) })) },
  "a message's repeated fields": {
    size: 200,
    work: size => {
      const writer = new Writer();
      for (let index = 0; index < size; index++) writer.text(5, padded(index));
      return PLUGIN.diff.read(writer.finish());
    },
  },
  "an export's contracts": {
    size: 50,
    work: size => documentsOf(readExport(exported(times(size, stored))).resources),
  },
  "an export's rows of a set": {
    size: 50,
    work: size => {
      const rows = Object.fromEntries(
        times(size, i => [padded(i), { documentId: "1", status: "unsigned", pendingSigners: [] }]),
      );
      const urn = "urn:pulumi:dev::p::docsign:index:DocumentSet::s";
      const set = { urn, type: "docsign:index:DocumentSet", outputs: { documents: rows } };
      return documentsOf(readExport(exported([set])).resources);
    },
  },
  "a preview's steps": {
    size: 50,
    work: size => readPreview({ steps: times(size, step), diagnostics: times(size, notice) }),
  },
  "a preview's lines about one resource": {
    size: 50,
    work: size => readPreview({ steps: [step(0)], diagnostics: times(size, () => notice(0)) }),
  },
};

export const cases: Readonly<Record<string, Case>> = {
  ...{ ...answers, ...tables, ...sets, ...templates },
  ...{ ...journals, ...states, ...redlines },
};
