import { folderVerdictsOn, placed } from "./folders.js";
import { isTaken, named, short, type Violation, violationsIn } from "./judge.js";
import { emptiedIn, type Facts, isForceable, verdictsOn } from "./model.js";
import {
  type Content,
  contentsIn,
  type Declared,
  type Folder,
  isContracts,
  keyOf,
  PDFS,
  PEOPLE,
  PEOPLE_OF_EACH,
  type Program,
} from "./program.js";
import { simulated } from "./simulated.js";
import { edited, type History, type Past, STACKS, type StackName, type Step, simpler } from "./steps.js";
import { type Engine, type Where, World } from "./world.js";

export interface Lived {
  readonly violation: Violation | undefined;
  /** Names of defects that are known, and that it went on after. */
  readonly known: ReadonlySet<string>;
  readonly story: readonly string[];
  readonly figures: {
    readonly ups: number;
    readonly documents: number;
    readonly refusals: number;
    readonly takenBack: number;
  };
}

/** Plays a history up to the first step that breaks a promise in a way that isn't known. */
export async function live(
  history: History,
  nameOf: NameOf = () => undefined,
  open: () => Promise<Engine> = () => simulated(history),
): Promise<Lived> {
  await using engine = await open();
  const life = new Life(new World(engine, history.shared ?? false), nameOf);
  await life.up({ stack: "dev", machine: "first" }, history.start, { skipPreview: false });
  for (const step of history.steps) {
    if (life.violation) break;
    await life.step(step);
  }
  const { violation, known, story } = life;
  return { violation, known, story, figures: life.figures() };
}

const MOST_TRIES = 60;

/** Less that still goes wrong in the same way. */
export async function shrunk(history: History, { kind, rule, of }: Violation, nameOf: NameOf): Promise<History> {
  let least = history;
  let tries = 0;
  for (let found = true; found; ) {
    found = false;
    for (const candidate of simpler(least)) {
      if (tries++ === MOST_TRIES) return least;
      const { violation } = await live(candidate, nameOf);
      if (violation?.kind !== kind || violation.rule !== rule || violation.of !== of) continue;
      least = candidate;
      found = true;
      break;
    }
  }
  return least;
}

interface Options {
  readonly skipPreview: boolean;
  readonly signed?: number | undefined;
  /** The name of the resource. */
  readonly forced?: string | undefined;
}

type NameOf = (violation: Violation) => string | undefined;

class Life {
  violation: Violation | undefined;
  readonly known = new Set<string>();
  readonly story: string[] = [];
  readonly #programs: Record<StackName, Program[]> = { dev: [], dev2: [] };
  readonly #removed: Record<StackName, Past["removed"][number][]> = { dev: [], dev2: [] };
  #ups = 0;
  #refusals = 0;
  #takenBack = 0;

  constructor(
    private readonly world: World,
    private readonly nameOf: NameOf,
  ) {}

  figures() {
    const documents = this.world.service.ledger.documents().filter(({ madeBy }) => madeBy > 0).length;
    return { ups: this.#ups, documents, refusals: this.#refusals, takenBack: this.#takenBack };
  }

  async step(step: Step): Promise<void> {
    switch (step.do) {
      case "up":
        return this.#edited(step);
      case "refresh":
      case "destroy":
        return this.#quiet(step);
      case "sign": {
        const held = STACKS.flatMap(stack => [...this.world.facts(stack, "").held.values()]);
        const all = this.world.service.ledger.documents().map(({ id }) => id);
        // Mostly what state holds; sometimes what it has let go of.
        const id = step.of % 4 === 3 ? all[step.of % all.length] : held[step.of % Math.max(held.length, 1)];
        if (id === undefined) return;
        this.#tell(`${step.all ? "everybody signs" : "one person signs"} ${this.#named(id)}`);
        return this.world.sign(id, step.all);
      }
      case "upload": {
        const person = PEOPLE[step.person % PEOPLE.length] ?? "ana";
        const content: Content = { person, title: "NDA", pdf: PDFS[step.pdf % PDFS.length] ?? "A", start: "March" };
        this.#tell(`somebody makes ${keyOf(content)} on the platform`);
        return this.world.upload(content);
      }
    }
  }

  async #edited({ edits, skipPreview, signed, forced, ...where }: Extract<Step, { do: "up" }>): Promise<void> {
    const { stack } = where;
    const programs = this.#programs[stack];
    const before = programs.at(-1) ?? [];
    let program = before;
    const beside = stack === "dev" ? "dev2" : "dev";
    const others = { other: this.#programs[beside].at(-1) ?? [], removedByOther: this.#removed[beside] };
    for (const edit of edits) {
      const after = edited(program, edit, { programs, removed: this.#removed[stack], ...others });
      this.#tell(`${stack}: ${JSON.stringify(edit)}${after === program ? " (nothing to do)" : ""}`);
      program = after;
    }
    this.#noteRemoved(stack, before, program);
    program = this.#withoutNewEmpty(stack, program);
    const facts = this.world.facts(stack, this.world.journalOf(where.machine));
    const targets = forced === undefined ? [] : placed(program, facts).filter(each => isForceable(each, facts));
    const target = targets[(forced ?? 0) % Math.max(targets.length, 1)]?.name;
    await this.up(where, program, { skipPreview, signed, forced: target });
  }

  /** `pulumi up`, and after a refusal back to what state holds, which must go on. */
  async up(where: Where, program: Program, options: Options): Promise<void> {
    const { stack } = where;
    if (await this.#judged(where, program, options)) {
      this.#programs[stack].push(program.map(({ alias: _done, ...each }) => each));
      return;
    }
    if (this.violation) return;
    const retreat = this.#held(where, program);
    this.#tell(`${stack}: back to what state holds`);
    const { skipPreview } = options;
    if (await this.#judged(where, retreat, { skipPreview })) this.#programs[stack].push(retreat);
  }

  async #quiet(step: Extract<Step, { do: "refresh" | "destroy" }>): Promise<void> {
    const { stack, machine } = step;
    const before = this.world.facts(stack, this.world.journalOf(machine));
    const outcome = await this.world[step.do](step);
    const after = this.world.facts(stack, before.journal);
    this.#tell(`${stack}: ${step.do} on machine ${machine} → ${outcome.error ?? "done"}; holds ${this.#shown(after)}`);
    if (after.docs.size > before.docs.size)
      this.#found({ kind: "mailed by a command that mails nobody", what: `${step.do} made a document` });
    if (outcome.error !== undefined) this.#found({ kind: "stopped", what: `${step.do}: ${outcome.error}` });
    if (after.folders.size > before.folders.size)
      this.#found({ kind: "holds another folder", what: `${step.do} made a folder` });
    const kept = step.do === "refresh" ? [...before.held, ...before.heldFolders] : [];
    if (JSON.stringify([...after.held, ...after.heldFolders].sort()) !== JSON.stringify(kept.sort()))
      this.#found({ kind: "holds another document", what: `${step.do} left ${this.#shown(after)}` });
  }

  /** Whether it went on. */
  async #judged(where: Where, program: Program, { skipPreview, signed, forced }: Options): Promise<boolean> {
    this.#ups++;
    let before = this.world.facts(where.stack, this.world.journalOf(where.machine));
    const meanwhile = () => {
      const id = signed === undefined ? undefined : [...before.held.values()][signed % Math.max(before.held.size, 1)];
      if (id === undefined) return;
      this.#tell(`after the preview one person signs ${this.#named(id)}`);
      this.world.sign(id, false);
      before = this.world.facts(where.stack, before.journal);
    };
    const mails = this.world.service.ledger.mails().length;
    const outcome = await this.world.up(where, program, { skipPreview, forced, meanwhile });
    const after = this.world.facts(where.stack, before.journal);
    const wanted = placed(program, before, after);
    const verdicts = verdictsOn(wanted, before, forced);
    const folders = folderVerdictsOn(program, before).map(({ slot, may }) => `${short(slot)} ${may}`);
    const said = outcome.error === undefined ? "done" : `fails in ${outcome.failed}: ${outcome.error}`;
    this.#tell(
      `${where.stack}: up on machine ${where.machine}${skipPreview ? " without preview" : ""}${forced === undefined ? "" : `, replacing ${forced}`}: ${describe(program)}`,
      `  may: ${folders.map(each => `${each}, `).join("")}${verdicts.map(({ slot, may, rule }) => `${short(slot)} ${[...may].join("/")} (${rule})`).join(", ")}`,
      `  → ${said.replaceAll("\n", "\n    ")}`,
      `  holds ${this.#shown(after)}; ${this.world.service.ledger.mails().length - mails} mails`,
    );
    const mailed = this.world.service.ledger.mails().length - mails;
    const invited = [...after.docs.values()].filter(({ id }) => !before.docs.has(id)).length * PEOPLE_OF_EACH;
    if (mailed !== invited) this.#found({ kind: "mailed", what: `${mailed} mails, ${invited} people invited` });
    if (outcome.error !== undefined) this.#refusals++;
    this.#takenBack += verdicts.filter(
      each => isTaken(each, after.held.get(each.slot)) && !before.held.has(each.slot),
    ).length;
    for (const { rule, slot, content } of verdicts) {
      const id = after.held.get(slot);
      if (rule === "signed and kept" && id !== undefined && outcome.error === undefined) this.world.keeps(id, content);
    }
    const passed = { program: wanted, verdicts, before, after, outcome };
    for (const violation of violationsIn(passed)) this.#found(violation);
    return outcome.error === undefined;
  }

  #found(violation: Violation): void {
    const name = this.nameOf(violation);
    if (name === undefined) this.violation ??= violation;
    else this.known.add(name);
  }

  #tell(...lines: string[]): void {
    this.story.push(...lines);
  }

  #named(id: string): string {
    const doc = this.world.facts("dev", "").docs.get(id);
    return doc ? named(doc) : id;
  }

  #shown({ held, docs, heldFolders, folders }: Facts): string {
    if (held.size + heldFolders.size === 0) return "nothing";
    return [
      ...[...heldFolders].map(([slot, id]) => `${short(slot)} ${id} ${folders.get(id)?.title}`),
      ...[...held].map(([slot, id]) => {
        const doc = docs.get(id);
        const { pdf, start, folder } = doc?.content ?? {};
        const where = folder === undefined ? "" : ` in ${folder}`;
        return `${short(slot)} ${id} ${pdf} ${start}${where}${doc?.signed ? " signed" : ""}`;
      }),
    ].join(", ");
  }

  #noteRemoved(stack: StackName, before: Program, after: Program): void {
    const stays = new Set(contentsIn(after).map(({ person }) => person));
    for (const from of before.filter(isContracts))
      for (const content of contentsIn([from]))
        if (!stays.has(content.person)) this.#removed[stack].push({ from, content });
  }

  /** A set that was never there has nothing to be emptied. */
  #withoutNewEmpty(stack: StackName, program: Program): Program {
    const facts = this.world.facts(stack, "");
    const emptied = emptiedIn(program, facts);
    return program.filter(each => each.kind !== "set" || each.rows.length > 0 || emptied.includes(each));
  }

  /** The program that says what state holds. */
  #held({ stack, machine }: Where, program: Program): Program {
    const { held, docs, heldFolders, folders } = this.world.facts(stack, this.world.journalOf(machine));
    const contents = new Map<string, Content[]>();
    const names = new Map([...heldFolders].map(([slot, id]) => [id, nameIn(slot)]));
    for (const [slot, id] of held) {
      const [resource = ""] = slot.split("#");
      const content = docs.get(id)?.content;
      if (!content) continue;
      const folder = content.folder === undefined ? undefined : (names.get(content.folder) ?? content.folder);
      contents.set(resource, [...(contents.get(resource) ?? []), { ...content, folder }]);
    }
    const declared = [...heldFolders].map(
      ([slot, id]): Folder => ({
        kind: "folder",
        name: nameIn(slot),
        title: folders.get(id)?.title as Folder["title"],
      }),
    );
    const place = (name: string): number => {
      const index = program.findIndex(each => each.name === name || each.alias === name);
      return index === -1 ? program.length : index;
    };
    const resources = [...contents]
      .map(([resource, rows]): Declared => {
        const [type = "", name = ""] = resource.split("::");
        const [content] = rows;
        if (type.endsWith("Set") || !content) return { kind: "set", name, rows, table: false, keeps: false };
        return { kind: "document", name, content };
      })
      .sort((one, other) => place(one.name) - place(other.name));
    return [...declared, ...resources];
  }
}

const nameIn = (slot: string): string => slot.split("::")[1] ?? "";

const describe = (program: Program): string =>
  program
    .map(each => {
      const was = each.alias === undefined ? "" : ` (was ${each.alias})`;
      if (each.kind === "folder") return `${each.name}${was} = folder ${each.title}`;
      if (each.kind === "document") return `${each.name}${was} = ${keyOf(each.content)}`;
      return `${each.name}${was} [${each.rows.map(keyOf).join(", ")}]`;
    })
    .join("; ");
