import { createHash } from "node:crypto";
import type { Values } from "../../kit/values.js";
import { AmbiguousWriteError, NotFoundError, TooLateError } from "../../provider/client/errors.js";
import { listingOf } from "../../provider/client/lists.js";
import { ServiceClock } from "../../provider/client/requests.js";
import type {
  CreateAnswer,
  DocumentBody,
  ListedDocument,
  NewDocument,
  SendOptions,
  Service,
  Turn,
} from "../../provider/client/service.js";
import type { Context, CreationPolicy } from "../../provider/resources/context.js";
import { DeploymentLog } from "../../provider/resources/journal/deployment-log.js";
import { PartialLog, type Piece, type Reading, type Table } from "../../provider/resources/journal/log.js";
import { LoggedJournal } from "../../provider/resources/journal/logged-journal.js";
import { HeldPdfs } from "../../provider/resources/pdf/asset-source.js";
import { reminderResource } from "../../provider/resources/reminder/reminder.js";
import type { Call } from "../../provider/resources/resource.js";
import { MemoryTable } from "../journal/support/memory-table.js";
import { documentsIn } from "../support/documents.js";
import { type Document, Lost, type Process, START, type World } from "./world.js";

export const ORIGIN = "https://api.example.com";
export const urn = (stack: string): string => `urn:pulumi:${stack}::contracts::docsign:index:Document::nda`;

const EMAIL = "ana@example.com";
const PDF = Buffer.from("%PDF-1.4\none\n%%EOF\n");
const SHA256 = createHash("sha256").update(PDF).digest("hex");
const held = new HeldPdfs("/nowhere");
held.hold(PDF);

/** What the program says. */
export const contract = (name: string): Values => ({
  name,
  base64File: `sha256:${SHA256}`,
  invitations: [{ email: EMAIL }],
});

export interface MachineOptions {
  readonly policy?: Partial<CreationPolicy>;
  /** Where the stack's state lies. */
  readonly backend?: string;
  /** What the service's `Date` shows; `still`: always the same. */
  readonly date?: "right" | "none" | "still";
  readonly outages?: boolean;
}

/** The provider itself on a machine of the world's: its journal, its rules, and a client whose answers are the world's. */
export function machine(process: Process, table: MemoryTable, options: MachineOptions = {}): Context {
  const run = `run-${process.name}`;
  const clock = { now: () => process.now(), startedUp: () => 0, wait: (ms: number) => process.wait(ms) };
  const log = Object.assign(new PartialLog(new SharedTable(process, table, options.outages ?? false)), {
    name: "the journal",
    advice: "",
    isShared: true,
  });
  const journal = new LoggedJournal(log, { run, backend: options.backend, now: clock.now });
  const service = new ModelService(process, options.date ?? "right");
  const policy: CreationPolicy = {
    duplicatePolicy: "refuse",
    creationMarker: false,
    reconcileTimeoutMs: 0,
    resendAfterMs: 120_000,
    uploadTimeoutMs: 60_000,
    folderPlacement: "warn",
    unconfirmedFolder: "refuse",
    ...options.policy,
  };
  return {
    service: () => service as unknown as Service,
    origin: () => ORIGIN,
    policy: () => policy,
    journal,
    deploymentLog: new DeploymentLog("/nowhere", undefined, 0, () => true),
    pdfs: { held } as Context["pdfs"],
    clock,
  };
}

export function call(urn: string): Call {
  const say = () => undefined;
  const log = { info: say, warn: say, progress: say, debug: say };
  return { urn, preview: false, signal: new AbortController().signal, log, secrets: new Set() };
}

/** `pulumi up` of one contract, as far as its create; `replaces`: what state holds, and the engine has deleted first. */
export async function up(
  process: Process,
  context: Context,
  urn: string,
  name: string,
  { replaces = [], folderId }: { readonly replaces?: readonly string[]; readonly folderId?: string | undefined } = {},
): Promise<string> {
  const own = call(urn);
  const { deploymentLog } = context;
  process.replaces = replaces;
  for (const id of replaces) {
    const known = { supersedes: [], service: ORIGIN };
    deploymentLog.checked(urn, true);
    deploymentLog.diffed(urn, id, "replace", known);
    deploymentLog.deleted(urn, id, known);
  }
  deploymentLog.checked(urn, false);
  const { id } = await documentsIn(context).create(own, {
    inputs: { ...contract(name), ...(folderId !== undefined && { folderId }) },
  });
  return id;
}

/** `pulumi up` of one Reminder, as far as its create: how many people it says were reminded. */
export async function remind(context: Context, urn: string, documentId: string): Promise<string> {
  const inputs = { documentId, triggers: 1, minInterval: "0s" };
  const { outputs } = await reminderResource.serve(() => context).create(call(urn), { inputs });
  return `reminded ${(outputs["sent"] as Values[]).map(({ outcome }) => outcome)}`;
}

/** A table that several processes share; each exchange with it happens at some moment, and is answered. */
class SharedTable implements Table {
  constructor(
    private readonly process: Process,
    private readonly table: MemoryTable,
    private readonly outages: boolean,
  ) {}

  exchange(reading: Reading, piece: Piece | undefined): ReturnType<Table["exchange"]> {
    const { process, table } = this;
    const text = piece?.text ?? "";
    const label = piece ? `writes ${[...text.matchAll(/"op":"(\w+)"/g)].map(([, op]) => op)}` : "reads the journal";
    process.world.named(text, process.name);
    const exchanged = { label: "", act: () => table.exchange(reading, piece) };
    const out = {
      label: "it can't be reached",
      cost: 1,
      act: () => {
        throw new Error("the journal can't be reached");
      },
    };
    return process.effect(label, this.outages ? [exchanged, out] : [exchanged]);
  }

  async replace(): Promise<void> {}
  stacks = () => this.table.stacks();
  async close(): Promise<void> {}
}

/** Answers with what the world's documents come to. */
class ModelService {
  readonly origin = ORIGIN;
  readonly baseUrl = ORIGIN;
  readonly #clock = new ServiceClock();

  constructor(
    private readonly process: Process,
    private readonly date: "right" | "none" | "still",
  ) {}

  get #world(): World {
    return this.process.world;
  }

  now(): Date | undefined {
    return this.#clock.at(this.process.now());
  }

  ticks(): number | undefined {
    return this.#clock.standsStill ? undefined : this.now()?.getTime();
  }

  #answered<T>(answer: () => T): () => T {
    return () => {
      const time = this.date === "still" ? START : this.#world.now;
      this.#clock.note(this.date === "none" ? undefined : new Date(time).toUTCString(), this.process.now());
      return answer();
    };
  }

  async turn<T>(work: (turn: Turn) => Promise<T>): Promise<T> {
    await this.process.takeTurn();
    return work({
      getDocument: id => this.getDocument(id),
      createDocument: (document, asking) => this.#create(document, asking),
      remind: (invitation, asking) => this.#remind(invitation, asking),
    });
  }

  async #create(document: NewDocument, { mayLeave = () => true }: SendOptions = {}): Promise<CreateAnswer> {
    const { process } = this;
    if (!mayLeave()) throw new TooLateError("too late", false);
    const arrive = this.#answered(() => this.#world.arrive(process, document.name, process.replaces).id);
    const id = await process.send("sends the document", arrive).catch(lost);
    return { hints: [id] };
  }

  async #remind(invitation: string, { mayLeave = () => true }: SendOptions = {}): Promise<void> {
    if (!mayLeave()) throw new TooLateError("too late", false);
    await this.process
      .send(
        "reminds",
        this.#answered(() => this.#world.remind(invitation)),
      )
      .catch(lost);
  }

  async getDocument(id: string): Promise<DocumentBody> {
    const found = await this.process.effect(`asks for document ${id}`, [
      {
        label: "",
        act: this.#answered(() => {
          const document = this.#world.document(id);
          return document && bodyOf(document);
        }),
      },
    ]);
    if (!found) throw new NotFoundError("no such document", 404);
    return found;
  }

  async listDocuments() {
    const act = this.#answered(() => this.#world.listed().toReversed().map(bodyOf));
    return listingOf<ListedDocument>(await this.process.effect("lists documents", [{ label: "", act }]));
  }

  /** Not every service has it. */
  async listDocumentsByDateRange(): Promise<never> {
    throw new NotFoundError("no such list", 404);
  }

  /** An answer was longer once: what a shorter one doesn't show isn't there. */
  longestList(): number {
    return 100;
  }
}

const lost = (error: unknown): never => {
  if (!(error instanceof Lost)) throw error;
  const what = "the connection was lost";
  throw new AmbiguousWriteError(what, what);
};

function bodyOf({ id, content, createdAt, signed }: Document): DocumentBody {
  const time = new Date(createdAt).toISOString();
  const status = signed ? "signed" : "unsigned";
  // Nobody takes one for the other.
  const isOther = content.startsWith("other");
  const email = isOther ? "zoe@example.com" : EMAIL;
  const sha256 = isOther ? "0".repeat(64) : SHA256;
  const signer = { id: `3${id}`, fileId: `2${id}`, signatureType: null, status, email, name: null, userId: null };
  return {
    id,
    name: content,
    description: null,
    status,
    folderId: null,
    createdAt: time,
    updatedAt: time,
    lastVersion: "1",
    files: [
      {
        id: `2${id}`,
        version: "1",
        sha256,
        status,
        signers: [{ ...signer, hashToSign: null, createdAt: time, updatedAt: time }],
        comments: [],
        url: null,
      },
    ],
    invitations: [{ id: `4${id}`, name: null, email, status: "accepted", stage: 1, user: null }],
  } as unknown as DocumentBody;
}

/** A table as a team's is after a while. It knows an unsigned document of another stack, which lists show; that takes three rows. */
export async function usedTable(id: string): Promise<() => MemoryTable> {
  const table = new MemoryTable();
  const log = Object.assign(new PartialLog(table), { name: "", advice: "", isShared: true });
  const journal = new LoggedJournal(log, { run: "earlier" });
  const scope = { service: ORIGIN, urn: urn("other") };
  await journal.claim(scope, id, { fingerprint: "other", supersedes: [] });
  await journal.show(scope, id, { supersedes: [] });
  await journal.release(scope, "9001");
  return () => {
    const copy = new MemoryTable();
    copy.rows = [...table.rows];
    return copy;
  };
}
