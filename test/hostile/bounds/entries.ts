import { documentsOf } from "../../../commands/board/documents.js";
import { readFlags as boardFlags } from "../../../commands/board/flags.js";
import { isPreview, readPreview } from "../../../commands/board/preview.js";
import { isExport, readExport } from "../../../commands/board/state.js";
import { CommandError, UsageError } from "../../../commands/cli/flags.js";
import { readFlags as journalFlags } from "../../../commands/cli/journal.js";
import { locksIn } from "../../../commands/engine-words.js";
import { parseFleet } from "../../../commands/fleet/file.js";
import { readFlags as fleetFlags } from "../../../commands/fleet/flags.js";
import { parseSettings } from "../../../commands/watch/settings.js";
import { decode, encode } from "../../../kit/codec.js";
import { SERVICE } from "../../../kit/messages.js";
import { BadRequestError } from "../../../kit/status.js";
import type { Values } from "../../../kit/values.js";
import { Writer } from "../../../kit/wire.js";
import { listedDocument, payloadOf, wholeDocument } from "../../../provider/client/bodies.js";
import { logInPage, ServiceError } from "../../../provider/client/errors.js";
import { Redactor } from "../../../provider/client/json.js";
import { RowReader, rowsOf } from "../../../provider/client/lists.js";
import { parseBaseUrl } from "../../../provider/client/transport.js";
import { configProblems, settingsFrom } from "../../../provider/config.js";
import { messageKind } from "../../../provider/core/text.js";
import { stateIn } from "../../../provider/resources/document-set/declaration.js";
import { readTable } from "../../../provider/resources/document-set/table.js";
import { LoggedJournal } from "../../../provider/resources/journal/logged-journal.js";
import { withoutCredentials } from "../../../provider/resources/journal/open-journal.js";
import { UserError } from "../../../provider/resources/resource.js";
import { signerRows } from "../../../provider/resources/signers.js";
import { factsIn, wordsIn } from "../../../provider/schema/facts.js";
import { parseScenario } from "../../../sandbox/control/parse.js";
import { Fields } from "../../../sandbox/fields.js";
import { readFlags as sandboxFlags } from "../../../sandbox/flags.js";
import { Refusal } from "../../../sandbox/refusal.js";
import { readImage } from "../../../sdk/templates/images.js";
import { renderTemplate, TemplateError } from "../../../sdk/templates/index.js";

/** A text from outside, and what it is as JSON, if it is any. */
export interface Given {
  readonly text: string;
  readonly value: unknown;
}

type Entry = (given: Given) => unknown;

/** Errors that a person is shown as they are. Any other is a bug. */
export const OURS = [BadRequestError, UserError, CommandError, UsageError, TemplateError, ServiceError, Refusal];

/** Each by itself: the first that refuses says nothing of the others. */
const each = (...attempts: (() => unknown)[]): string[] =>
  attempts.flatMap(attempt => {
    try {
      attempt();
      return [];
    } catch (error) {
      if (OURS.some(kind => error instanceof kind)) return [(error as Error).message];
      throw error;
    }
  });

const asking = {
  ...{
    endpoint: "GET https://api.example.com/v1/documents",
    origin: "https://api.example.com",
    source: "docsign:apiKey",
  },
  ...{ redactor: new Redactor(), now: 0 },
};
const answer = (text: string) => ({ ...asking, status: 200, headers: {}, text });
async function* arriving(text: string) {
  yield Buffer.from(text);
}
const rows = (text: string) => rowsOf(new RowReader(listedDocument), { ...answer(""), chunks: arriving(text) });
const wrongWith = (text: string) => each(() => parseBaseUrl(text))[0] ?? null;

const documentFor = (email: string) => ({
  ok: true,
  payload: {
    ...{ id: 7, name: "NDA", status: "unsigned", last_version: "1", invitations: [{ id: 1, invite_email: email }] },
    files: [{ id: 1, version: "1", signers: [{ id: 1, status: "unsigned", email }] }],
  },
});

const SETTINGS = ["BASE_URL", "API_KEY", "EMAIL", "PASSWORD", "JOURNAL", "MAX_CONCURRENCY", "REQUEST_TIMEOUT"];

const urn = "urn:pulumi:dev::p::docsign:index:Document::nda";

/** A property `documents` with lists within lists, as gRPC carries it; the encoder would end its own stack. */
function nested(depth: number): Buffer {
  const field = (tag: number, bytes: Buffer) => {
    const length: number[] = [];
    for (let left = bytes.length; ; left >>>= 7) {
      length.push(left > 0x7f ? (left & 0x7f) | 0x80 : left);
      if (left <= 0x7f) break;
    }
    return Buffer.concat([Buffer.from([tag, ...length]), bytes]);
  };
  let value = Buffer.from([0x20, 1]);
  for (let at = 0; at < depth; at++) value = field(0x32, field(0x0a, value));
  return field(0x0a, Buffer.concat([field(0x0a, Buffer.from("documents")), field(0x12, value)]));
}

const NESTED = nested(10_000);

export const entries: Readonly<Record<string, Entry>> = {
  "flags of docsign board": ({ text }) =>
    each(
      ...["--format", "--late-after", "--stack", "--out"].map(flag => () => boardFlags([flag, text])),
      ...["--port", "--every"].map(flag => () => boardFlags(["--serve", "--all", flag, text])),
      () => boardFlags([`--${text}`]),
    ),
  "flags of docsign fleet": ({ text }) =>
    each(
      () => fleetFlags([text]),
      ...["--file", "--parallel", "--expect-mails", "--board"].map(flag => () => fleetFlags(["up", flag, text])),
      () => fleetFlags(["up", `--${text}`]),
    ),
  "flags of docsign journal": ({ text }) =>
    each(
      () => journalFlags([text]),
      () => journalFlags(["resolve", text, "--never-arrived"]),
      () => journalFlags(["resolve", "01234567", "--is", text]),
      () => journalFlags(["list", `--${text}`]),
    ),
  "flags of docsign sandbox": ({ text }) =>
    each(
      ...["--port", "--latency", "--host", "--dialect", "--api-key"].map(flag => () => sandboxFlags([flag, text])),
      () => sandboxFlags([`--${text}`]),
    ),
  "the environment": ({ text }) => SETTINGS.flatMap(name => settingsFrom({}, { [`DOCSIGN_${name}`]: text }).obstacles),
  configuration: ({ text }) =>
    ["baseUrl", "journal", "duplicatePolicy", "resendAfter", text].flatMap(name =>
      configProblems({ [name]: text }, {}, wrongWith).map(({ reason }) => reason),
    ),
  "a fleet file": ({ text }) =>
    each(
      () => parseFleet(text, "fleet.yaml"),
      () => parseFleet(`name: ${JSON.stringify(text)}\nstacks: { list: [{ name: a }] }`, "fleet.yaml"),
    ),
  "a watcher's settings": ({ text }) =>
    each(
      () => parseSettings(text, "watch.json"),
      () => parseSettings(JSON.stringify({ wake: [{ name: text, run: [text] }] }), "watch.json"),
    ),
  "a document's answer": ({ text, value }) => {
    const body = { id: 7, name: text, files: value, invitations: [{ invite_email: text, user: value }] };
    return each(
      () => logInPage(answer(text)),
      () => signerRows(payloadOf(answer(json(documentFor(text))), wholeDocument)),
      () => payloadOf(answer(text), wholeDocument),
      () => payloadOf(answer(`{"ok":true,"payload":${json(body)}}`), wholeDocument),
    );
  },
  "a list's answer": async ({ text, value }) => {
    await rows(text).catch(refusal);
    await rows(`{"ok":true,"payload":[${json({ id: 7, name: text, organization: value })}]}`).catch(refusal);
  },
  "a table": ({ text }) => {
    const read = readTable(Buffer.from(text));
    return "mistakes" in read ? read.mistakes.slice(0, 50) : [];
  },
  "a template": async ({ text }) => {
    await renderTemplate({ template: { markdown: text } }).catch(refusal);
    await renderTemplate({ template: { markdown: "A {{v}}" }, variables: { v: text } }).catch(refusal);
    const markdown = `{{#if v}}${text}{{/if}}{{#each w}}{{x}}{{/each}}\n\n\`\`\`footer\n${text}\n\`\`\`\n`;
    await renderTemplate({ template: { markdown }, variables: { v: text, w: [{ x: text }] } }).catch(refusal);
    readImage(Buffer.from(text, "latin1"));
    readImage(Buffer.from(`\x89PNG\r\n\x1a\n${text}`, "latin1"));
    readImage(Buffer.from(`\xff\xd8\xff${text}`, "latin1"));
  },
  state: ({ value }) => {
    const outputs = { documents: value, summary: value, drift: value } as Values;
    stateIn(outputs);
    const isDeep = Array.isArray(value) && value.length === 1;
    return each(() => stateIn(decode(isDeep ? NESTED : encode(outputs)).values));
  },
  "a message of the engine": ({ text, value }) => {
    const texts = new Writer();
    const map = new Writer();
    for (const [key, each] of Object.entries(typeof value === "object" && value !== null ? value : { [text]: text })) {
      texts.text(5, wellFormed(each));
      const entry = map.begin(1);
      map.text(1, wellFormed(key)).text(2, wellFormed(each)).end(entry);
    }
    SERVICE.diff.read(texts.finish());
    SERVICE.configure.read(map.finish());
  },
  "a stack's export": ({ value }) => {
    const resources = [
      { urn, type: "docsign:index:Document", outputs: value },
      { urn, type: "docsign:index:DocumentSet", outputs: { documents: value, waitingFor: value } },
    ];
    const exported = { version: 3, deployment: { resources } };
    if (isExport(exported)) documentsOf(readExport(exported).resources);
    const preview = { steps: [{ op: "create", urn, newState: { type: "docsign:index:Document", inputs: value } }] };
    return isPreview(preview) ? each(() => readPreview(preview)) : [];
  },
  "a line of the engine's log": ({ text }) => {
    factsIn(text);
    wordsIn(`${text} [docsign/facts mails=${text}]`);
    locksIn(`the stack is currently locked by 1 lock created by ${text}`);
  },
  "a message of ours, with text from outside": ({ text }) => void messageKind(text),
  "where a journal is": ({ text }) => void withoutCredentials(text),
  "a journal": async ({ text, value }) => {
    const lines = [
      text,
      json({ op: "snapshot", rows: value }),
      json({ op: "claim", service: "s", urn, id: text, run: text }),
    ];
    const log = {
      ...{ name: "the journal", advice: "", isShared: false, isWhole: true },
      exchange: async () => lines.splice(0),
      compact: async () => {},
      close: async () => {},
    };
    const journal = new LoggedJournal(log, { run: "r" });
    await journal.resource({ service: "s", urn }).catch(refusal);
  },
  "a sandbox's seed": ({ text, value }) =>
    each(
      () => parseScenario(new Fields({ folders: value }, "", [], true)),
      () => parseScenario(new Fields({ documents: [{ name: text, invitations: value }] }, "", [], true)),
    ),
};

const wellFormed = (value: unknown): string => (typeof value === "string" ? value.toWellFormed() : "");

function refusal(error: unknown): void {
  if (!OURS.some(kind => error instanceof kind)) throw error;
}

/** `JSON.stringify` would end the stack where a value is nested deep; a service doesn't. */
function json(value: unknown): string {
  if (Array.isArray(value) && value.length === 1) {
    let depth = 0;
    let inner: unknown = value;
    while (Array.isArray(inner) && inner.length === 1) {
      depth++;
      [inner] = inner;
    }
    return `${"[".repeat(depth)}${json(inner)}${"]".repeat(depth)}`;
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return `{${Object.entries(value)
      .map(([key, each]) => `${JSON.stringify(key)}:${json(each)}`)
      .join(",")}}`;
  return JSON.stringify(value) ?? "null";
}
