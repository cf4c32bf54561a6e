import { expect } from "vitest";
import type { Values } from "../../../kit/values.js";
import { folderResource } from "../../../provider/resources/folder.js";
import { type Call, PartialFailure } from "../../../provider/resources/resource.js";
import { documentsIn } from "../../support/documents.js";
import {
  type Dialect,
  type IndependentService,
  type IndependentServiceOptions,
  startIndependentService,
} from "../../support/independent-service/index.js";
import { type Machine, type Run, startMachine } from "../../support/machine.js";
import { snapshot } from "./disk.js";
import {
  destroy,
  type FrontEnd,
  type ProgramResource,
  type ResourceState,
  refresh,
  type State,
  type UpOptions,
  up,
  type Went,
} from "./engine.js";

export const pdf = (text: string): string => Buffer.from(`%PDF-1.4\n${text}\n%%EOF\n`).toString("base64");

/** `resendAfter` is two minutes by default, the request of a large PDF may be on its way for ten, and runs look for a while. */
const LATER_MS = 660_000;

const HOUR_MS = 3_600_000;

/** Lists that prove what isn't in them: newest first, and with enough rows from before the test. */
const PROVING_LISTS = { order: "newest", decoys: 9 } as const satisfies Partial<Dialect>;

export const ANA = "ana@example.com";
export const BOB = "bob@example.org";

export const nda = (more: Values = {}, name = "nda"): ProgramResource => ({
  name,
  type: "Document",
  inputs: {
    name: "NDA",
    description: "between friends",
    invitations: [
      { email: ANA, name: "Ana" },
      { email: BOB, name: "Bob" },
    ],
    base64File: pdf("one"),
    ...more,
  },
});

export const folder = (name = "leases", more: Values = {}): ProgramResource => ({
  name,
  type: "Folder",
  inputs: { name: "Leases 2026", ...more },
});

export interface RigOptions extends IndependentServiceOptions {
  readonly config?: Values;
  /** Lists that prove what isn't in them, to a journal that knows one of their documents. */
  readonly proving?: boolean;
}

export interface ProcessOptions {
  readonly config?: Values;
  readonly stack?: string;
  readonly backend?: string;
  readonly env?: Record<string, string>;
  readonly call?: Partial<Call>;
  readonly machine?: Machine;
  readonly pid?: number;
}

/** One plugin process at resource level. */
export interface Process {
  readonly run: Run;
  readonly frontEnd: FrontEnd;
}

/** A service, a machine with a disk, and what state holds. */
export class Rig implements AsyncDisposable {
  state: State = new Map();
  /** What the user read: errors and log lines of every run. */
  readonly read: string[] = [];
  /** Why somebody has used a token or an import. */
  readonly #acted = new Set<string>();
  #left: readonly string[] = [];
  readonly machine = startMachine({ waited: milliseconds => this.#pass(milliseconds) });
  readonly config: Values;

  constructor(
    readonly service: IndependentService,
    config: Values,
  ) {
    this.config = { baseUrl: service.url, apiKey: service.apiKey, ...config };
  }

  process(options: ProcessOptions = {}): Process {
    const { config = {}, stack = "test", backend, call = {}, machine = this.machine, pid } = options;
    const env = { ...(backend !== undefined && { PULUMI_BACKEND_URL: backend }), ...options.env };
    const run = machine.run({ ...this.config, ...config }, { env, ...(pid !== undefined && { pid }) });
    return { run, frontEnd: resourceFrontEnd(run, stack, call) };
  }

  up(program: readonly ProgramResource[], options: ProcessOptions & UpOptions = {}): Promise<Went> {
    return this.#ran(options, frontEnd => up(frontEnd, this.state, program, options));
  }

  refresh(options: ProcessOptions = {}): Promise<Went> {
    return this.#ran(options, frontEnd => refresh(frontEnd, this.state));
  }

  destroy(options: ProcessOptions = {}): Promise<Went> {
    return this.#ran(options, frontEnd => destroy(frontEnd, this.state));
  }

  /** `pulumi import`. */
  async import(wanted: Pick<ProgramResource, "name" | "type">, id: string): Promise<void> {
    for (const cause of this.#left) this.#acted.add(cause);
    const { run, frontEnd } = this.process();
    const urn = frontEnd.urn(wanted);
    const read = await frontEnd.read(urn, id);
    this.state.set(urn, { type: wanted.type, id: read.id, inputs: read.inputs, outputs: read.outputs });
    await run.end();
  }

  /** Runs until `reached`, then the power fails: what the disk holds at that moment is what the next run finds. */
  async crash(
    work: (frontEnd: FrontEnd) => Promise<unknown>,
    process: Process,
    reached: Promise<unknown>,
  ): Promise<void> {
    const ended = work(process.frontEnd).catch(() => undefined);
    await reached;
    const disk = snapshot(this.machine.folder);
    await process.run.kill();
    // What a stalled step waits for never comes; everything else ends with the connection.
    await Promise.race([ended, new Promise(resolve => setTimeout(resolve, 20))]);
    this.read.push(...process.run.lines.map(line => line.text));
    disk.restore();
  }

  /** The journal of a machine knows a document from before the test: another stack's. */
  async rememberEarlier(machine = this.machine): Promise<void> {
    const { run } = this.process({ machine });
    const { context } = run.runtime;
    const scope = { service: context.service().origin, urn: urnOf("earlier", "Document", "earlier") };
    const [earlier] = this.service.ledger.decoys();
    await context.journal.claim(scope, earlier?.id ?? "", { fingerprint: undefined, supersedes: [] });
    await run.end();
  }

  /** So long that a create without an outcome may be sent again. */
  later(): void {
    this.#pass(LATER_MS);
  }

  /** Here for the runs to come, and at the service. */
  #pass(milliseconds: number): void {
    this.machine.pass(milliseconds);
    this.service.clock.advance(milliseconds);
  }

  /** Causes for which a person has acted, or would have to now. */
  get people(): string[] {
    return [...new Set([...this.#acted, ...this.#left])];
  }

  /** What the service saw. */
  saw() {
    return sawOf(this.service.ledger);
  }

  idOf(name: string, type: ProgramResource["type"] = "Document", stack = "test"): string | undefined {
    return this.state.get(urnOf(name, type, stack))?.id;
  }

  /** The promise: one document, state with its id, each signer with one mail. */
  expectOnce(name = "nda", stack = "test"): void {
    const { ledger } = this.service;
    expect(madeIn(ledger).map(document => document.id)).toEqual([this.idOf(name, "Document", stack)]);
    for (const email of [ANA, BOB]) expect(ledger.mailsTo(email)).toHaveLength(1);
  }

  async #ran(options: ProcessOptions, work: (frontEnd: FrontEnd) => Promise<Went>): Promise<Went> {
    if (options.env?.["DOCSIGN_FORGET"] || options.env?.["DOCSIGN_ADOPT"])
      for (const cause of this.#left) this.#acted.add(cause);
    const { run, frontEnd } = this.process(options);
    const went = await work(frontEnd);
    this.#left = Object.values(went.errors).flatMap(text => /\[docsign\/([\w-]+)\]/.exec(text)?.[1] ?? []);
    this.read.push(...Object.values(went.errors), ...run.lines.map(line => line.text));
    await run.end();
    return went;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    this.machine[Symbol.dispose]();
  }
}

export async function startRig({ config = {}, proving = false, ...options }: RigOptions = {}): Promise<Rig> {
  const dialect = { ...options.dialect, ...(proving && PROVING_LISTS) };
  const service = await startIndependentService({ ...options, dialect });
  for (const document of service.ledger.decoys()) document.createdAt -= HOUR_MS;
  const rig = new Rig(service, config);
  if (proving) await rig.rememberEarlier();
  return rig;
}

export const urnOf = (name: string, type: ProgramResource["type"] = "Document", stack = "test"): string =>
  `urn:pulumi:${stack}::contracts::docsign:index:${type}::${name}`;

/** Documents but those from before the test. */
export function madeIn(ledger: IndependentService["ledger"]) {
  const decoys = new Set(ledger.decoys());
  return ledger.documents().filter(document => !decoys.has(document));
}

/** What the service saw, by its own books. */
export function sawOf(ledger: IndependentService["ledger"]) {
  return {
    requests: ledger.requests().length,
    posts: ledger.requests("createDocument").length,
    documents: madeIn(ledger).length,
    folders: ledger.folders().length,
    mails: ledger.mails().length,
  };
}

/** The resources themselves, called as the server calls them. */
export function resourceFrontEnd(run: Run, stack: string, options: Partial<Call> = {}): FrontEnd {
  const documents = documentsIn(run.runtime.context);
  const folders = folderResource.serve(() => run.runtime.context);
  const of = (urn: string) => (urn.includes("docsign:index:Folder") ? folders : documents);
  const call = (urn: string, preview = false): Call => run.call("", { ...options, urn, preview });
  return {
    urn: ({ name, type }) => urnOf(name, type, stack),
    check: (urn, olds, news) => of(urn).check(call(urn), { olds, news }),
    diff: async (urn, held, news) => {
      const { id, outputs: olds, inputs: oldInputs } = held;
      const diff = await of(urn).diff(call(urn), { id, olds, oldInputs, news, ignoreChanges: [] });
      return { ...diff, updates: diff.changes === "some" && Object.keys(diff.detailed).length === 0 };
    },
    create: (urn, inputs, preview) => of(urn).create(call(urn, preview), { inputs }).catch(kept),
    read: (urn, id, held?: ResourceState) =>
      of(urn).read(call(urn), { id, inputs: held?.inputs, outputs: held?.outputs }),
    update: (urn, { id, outputs: olds, inputs: oldInputs }, news) =>
      of(urn).update(call(urn), { id, olds, oldInputs, news }),
    delete: (urn, { id, outputs, inputs }) => of(urn).delete(call(urn), { id, outputs, inputs }),
  };
}

function kept(error: unknown): { id: string; outputs: Values; unfinished: string } {
  if (error instanceof PartialFailure) return { id: error.id, outputs: error.outputs, unfinished: error.message };
  throw error;
}
