import { createHash } from "node:crypto";
import { base64, pdf } from "../lifecycle/scene.js";
import { secret } from "../support/engine-client.js";
import {
  type IndependentService,
  type NamedDialect,
  type RequestRecord,
  startIndependentService,
} from "../support/independent-service/index.js";
import { type Machine, startMachine } from "../support/machine.js";
import {
  type Goal,
  type OpenFrontEnd,
  pluginFrontEnd,
  Ref,
  Stack,
  type UpOptions,
} from "../support/simulated-engine.js";
import { dynamicFrontEnd } from "./dynamic-front-end.js";
import { Judge } from "./judge.js";

export const frontEnds = ["plugin", "dynamic provider"] as const;
export type FrontEnd = (typeof frontEnds)[number];

/** What a command of the story came to. `broken`: promises that no longer hold after it. */
export interface Result {
  readonly step: string;
  /** The error it ended with; undefined where it went well. */
  readonly error: string | undefined;
  readonly warnings: readonly string[];
  readonly broken: string[];
}

const people = [
  { email: "Ana@Example.com", name: "Ana", stage: 1 },
  { email: "bob@example.org", name: "Bob", stage: 2 },
];
const folder: Goal = { name: "folder", type: "docsign:index:Folder", inputs: { name: "Contracts" } };

/** A contract in the folder. Its title is long, has characters that get escaped, and ends with a blank. */
const contract = (name: string, content: string): Goal => ({
  name,
  inputs: {
    name: `${name.toUpperCase()} <Alpha & Beta> for 2031 `,
    description: "Mutual",
    invitations: people,
    base64File: base64(content),
    folderId: new Ref("folder", "folderId"),
  },
});

const isLease = ({ body }: RequestRecord): boolean =>
  typeof body === "object" && body !== null && "name" in body && String(body["name"]).startsWith("LEASE");

const reminder: Goal = {
  name: "reminder",
  type: "docsign:index:Reminder",
  inputs: { documentId: new Ref("nda", "documentId"), minInterval: "0s" },
};

/** Between two commands: longer than a command waits before it sends again, and than its last attempt has to be old. */
const MINUTES_LATER_MS = 10 * 60_000;
const SECONDS_LATER_MS = 15_000;

/** One stack's life at a service that answers one point differently; each command is judged by the service's ledger. */
export async function play({ settings }: NamedDialect, frontEnd: FrontEnd): Promise<Result[]> {
  await using service = await startIndependentService(settings);
  using machine = startMachine();
  const story = new Story(service, openerOf(frontEnd, machine), frontEnd);
  const nda = contract("nda", "one");
  const changed = contract("nda", "two");
  const later = (milliseconds: number): void => {
    service.clock.advance(milliseconds);
    machine.pass(milliseconds);
  };

  await story.up("up", [folder, nda]);
  later(MINUTES_LATER_MS);
  await story.up("up again", [folder, nda]);
  await story.refresh("refresh");
  await story.up("up with a changed PDF", [folder, changed]);
  // A change that was refused is taken back, as its message asks for.
  const now = story.wasSent("two") ? changed : nda;
  await story.up("up with the program as it is", [folder, now]);
  await story.remind("up with a reminder", [folder, now, reminder]);
  await story.up("up with the same reminder", [folder, now, reminder]);
  story.sign();
  await story.refresh("refresh once signed");
  await story.refresh("second refresh once signed");
  await story.up("up with a changed PDF once signed", [folder, contract("nda", "three")]);
  await story.up("up --refresh once signed", [folder, now], { refresh: true });

  service.faults.push({ kind: "reset", when: "after" }, isLease);
  const lease = contract("lease", "lease");
  await story.up("up whose answer is lost", [folder, now, lease]);
  for (const step of ["up after a lost answer", "second up after a lost answer"]) {
    later(SECONDS_LATER_MS);
    await story.up(step, [folder, now, lease]);
  }
  later(MINUTES_LATER_MS);
  service.catchUp();
  await story.up("last up after a lost answer", [folder, now, lease]);
  const id = story.idOf("nda");
  await story.destroy("destroy");
  if (frontEnd === "plugin" && id !== undefined && (await story.import("import", "nda", id))) {
    const imported = { ...now, inputs: { ...now.inputs, folderId: story.inputOf("nda", "folderId") } };
    await story.up("up after the import", [imported]);
  }
  return story.results;
}

export const openerOf = (frontEnd: FrontEnd, machine: Machine): OpenFrontEnd =>
  frontEnd === "plugin" ? pluginFrontEnd(machine) : dynamicFrontEnd(machine);

class Story {
  readonly results: Result[] = [];
  readonly #stack: Stack;
  readonly #judge: Judge;

  constructor(
    private readonly service: IndependentService,
    open: OpenFrontEnd,
    private readonly frontEnd: FrontEnd,
  ) {
    const { url, apiKey } = service;
    // The dynamic front end has no secrets of its own in this engine.
    const key = frontEnd === "plugin" ? secret(apiKey) : apiKey;
    this.#stack = new Stack(open, { default: { baseUrl: url, apiKey: key } });
    this.#judge = new Judge(service, this.#stack);
  }

  idOf(name: string): string | undefined {
    return this.#stack.entries.find(entry => entry.goal.name === name && !entry.delete)?.id;
  }

  /** Whether the service has made a document of this content. */
  wasSent(content: string): boolean {
    const sha256 = createHash("sha256").update(pdf(content)).digest("hex");
    return this.service.ledger.documents().some(({ uploadedSha256 }) => uploadedSha256 === sha256);
  }

  inputOf(name: string, input: string): string | null {
    const given = this.#stack.entries.find(({ goal }) => goal.name === name)?.inputs[input];
    return typeof given === "string" ? given : null;
  }

  up(step: string, program: readonly Goal[], options: UpOptions = {}): Promise<boolean> {
    const wanted = program.map(({ name }) => name);
    const skipPreview = this.frontEnd === "dynamic provider";
    return this.#command(step, () => this.#stack.up(program, { ...options, skipPreview }), wanted);
  }

  /** Where it goes well, somebody has been reminded, or an output says why nobody was. */
  async remind(step: string, program: readonly Goal[]): Promise<void> {
    if (!(await this.up(step, program)) || this.service.ledger.mails("reminder").length > 0) return;
    const skipped = this.#stack.entry("reminder").outputs["skipped"];
    const isSaid = Array.isArray(skipped) && skipped.length > 0;
    if (!isSaid) this.results.at(-1)?.broken.push("nobody was reminded, and nothing says so");
  }

  refresh(step: string): Promise<boolean> {
    return this.#command(step, () => this.#stack.refresh());
  }

  async destroy(step: string): Promise<void> {
    this.#judge.letGo();
    await this.#command(step, () => this.#stack.destroy());
  }

  import(step: string, name: string, id: string): Promise<boolean> {
    return this.#command(step, () => this.#stack.import({ name }, id));
  }

  /** Everybody signs the document that state holds, or else the one the service made for it. */
  sign(): void {
    const { ledger, people } = this.service;
    const id = this.idOf("nda");
    const made = ledger.documents().find(one => one.id === id) ?? ledger.documents().findLast(one => one.madeBy > 0);
    if (made) people.signAll(made.id);
  }

  /** True where it went well. */
  async #command(step: string, work: () => ReturnType<Stack["refresh"]>, wanted: readonly string[] = []) {
    let error: string | undefined;
    let warnings: readonly string[] = [];
    const broken: string[] = [];
    try {
      const outcome = await work();
      ({ error } = outcome);
      warnings = outcome.lines;
    } catch (thrown) {
      // What the engine calls a bug of the provider, or what no command may leave behind.
      broken.push(`internal error: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      error = "internal error";
    }
    broken.push(...this.#judge.findings(error === undefined ? wanted : []));
    this.results.push({ step, error, warnings, broken });
    return error === undefined;
  }
}
