import { setTimeout as pause } from "node:timers/promises";
import postgres from "postgres";
import type { PostgresServer } from "../../journal/support/postgres-server.js";
import { chance, seedFrom } from "../../support/independent-service/chance.js";
import {
  type Gate,
  type IndependentService,
  type Matcher,
  startIndependentService,
} from "../../support/independent-service/index.js";
import { statusOf } from "../../support/independent-service/records.js";
import { pluginsOf } from "../support/engine-run.js";
import { Machine, REMINDED, RESEND_AFTER_MS, type Up } from "./machine.js";
import { type Blow, CONTRACTS, type Deed, type Life } from "./script.js";

export interface Lived {
  readonly violations: readonly string[];
  /** What happened, one line each. */
  readonly story: readonly string[];
}

/** Longer than anything is waited for. */
const FROZEN_MS = 2.5 * RESEND_AFTER_MS;

/** A signature, and when it came. */
interface Signature {
  readonly title: string;
  readonly at: number;
  /** How many requests there were by then. */
  readonly requests: number;
}

/**
 * Two machines with one journal and one account. While the first one is at work it is frozen or killed at some moment;
 * the other one works meanwhile, people sign, connections are cut, the journal is put back. Then both go on, and the
 * service's own books are read.
 */
export async function live(life: Life, server: PostgresServer): Promise<Lived> {
  await using service = await startIndependentService({ dialect: { order: "newest" }, seed: life.seed });
  await server.run("drop table if exists docsign.journal, docsign.kept");
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  try {
    return await new Living(life, service, server, sql).live();
  } finally {
    await sql.end();
  }
}

class Living {
  readonly #story: string[] = [];
  readonly #signatures: Signature[] = [];
  readonly #next;

  constructor(
    private readonly life: Life,
    private readonly service: IndependentService,
    private readonly server: PostgresServer,
    private readonly sql: postgres.Sql,
  ) {
    this.#next = chance(seedFrom(life.seed, "deeds"));
  }

  async live(): Promise<Lived> {
    const { pairing, places, hoursAhead, forms, replaces } = this.life;
    this.#say(JSON.stringify(this.life));
    const names = pairing === "two stacks" ? ["one", "two"] : ["one", "one"];
    const open = (nth: 0 | 1) =>
      Machine.open(this.service, this.server, { stack: names[nth] ?? "", places, hoursAhead: hoursAhead[nth] });
    await using first = await open(0);
    await using second = await open(1);
    this.#fillAccount();

    // A first run in peace: what lists show is known to the journal, and there is something to replace.
    first.declare({ form: forms[0], version: replaces ? 1 : undefined });
    await this.#inPeace(first.up());
    // Diff shows what state holds.
    await this.#inPeace(first.up());
    if (pairing === "two stacks") await this.#inPeace(second.up());
    if (pairing === "two back ends") second.copyState(first);
    if (pairing === "one stack") second.shareState(first);
    await this.sql.unsafe("create table docsign.kept as table docsign.journal");

    const base = this.service.ledger.documents().find(({ name }) => name.startsWith("base"))?.id;
    const reminds = this.life.reminds ? base : undefined;
    first.declare({ form: forms[0], version: replaces ? 2 : 1, reminds });
    second.declare({ form: forms[1], version: replaces ? 2 : 1, reminds });
    await this.#strike(first, second);
    this.service.catchUp();
    for (const machine of [first, second]) await this.#run("afterwards", machine.up());
    return { violations: await this.#violations(), story: this.#story };
  }

  /** The first machine is hit while it works; the other one goes on. */
  async #strike(first: Machine, second: Machine): Promise<void> {
    const { blow, meanwhile } = this.life;
    const up = first.up();
    const hit = this.#moment(blow, first);
    const over = up.ended.then(() => "over" as const);
    const reached = await Promise.race([hit.reached, over]);
    const struck = reached === "over" ? [] : this.#processes(up, blow);
    for (const pid of struck) signal(pid, blow.how === "kill" ? "SIGKILL" : "SIGSTOP");
    const since = Date.now();
    this.#say(struck.length === 0 ? "the first machine is done" : `${blow.how}: ${blow.who}`);
    hit.release();
    for (const deed of meanwhile) await this.#do(deed, first, second);
    if (struck.length > 0 && blow.how === "freeze") {
      await pause(Math.max(0, since + FROZEN_MS - Date.now()));
      this.#say(`the first machine goes on after ${Math.round((Date.now() - since) / 1000)} s`);
      for (const pid of struck) signal(pid, "SIGCONT");
    }
    await this.#run("the first machine", up);
  }

  #moment({ at, nth }: Blow, { proxy }: Machine): { readonly reached: Promise<unknown>; release(): void } {
    if (at === "journal") {
      const { promise, resolve } = Promise.withResolvers<void>();
      let count = 0;
      proxy.onPiece = () => {
        // A few pieces make a conversation.
        if (++count === 8 + 5 * nth) resolve();
      };
      return { reached: promise, release: () => undefined };
    }
    const { ledger } = this.service;
    const since = ledger.requests().length;
    const matcher: Matcher = ({ operation, number }) =>
      operation === at.operation &&
      number > since &&
      ledger.requests(operation).filter(request => request.number > since && request.number <= number).length === nth;
    const gate: Gate = this.service.gate(at.point, matcher);
    return { reached: gate.reached, release: () => gate.open() };
  }

  #processes({ pid }: Up, { who }: Blow): number[] {
    const plugins = pluginsOf(pid);
    return who === "plugin" ? plugins : [pid, ...plugins];
  }

  async #do(deed: Deed, first: Machine, second: Machine): Promise<void> {
    switch (deed) {
      case "other":
        return this.#run("the second machine", second.up());
      case "cut":
        first.proxy.cut();
        second.proxy.cut();
        return this.#say("connections to the journal are cut");
      case "away": {
        second.proxy.mode = "closed";
        await this.#run("the second machine, without a journal", second.up());
        second.proxy.mode = "open";
        return;
      }
      case "restore":
        await this.sql.begin(sql => [
          sql.unsafe("delete from docsign.journal"),
          sql.unsafe("insert into docsign.journal table docsign.kept"),
        ]);
        return this.#say("the journal is restored");
      case "sign":
        return this.#sign();
    }
  }

  /** Somebody signs a contract that is to be replaced. */
  #sign(): void {
    const { ledger, people, clock } = this.service;
    const titles = Array.from({ length: CONTRACTS }, (_, nth) => `contract-${nth}`);
    const unsigned = ledger.documents().filter(each => titles.includes(each.name) && statusOf(each) === "unsigned");
    const first = unsigned.filter(({ id, name }) => ledger.documents().find(each => each.name === name)?.id === id);
    const document = first[Math.floor(this.#next() * first.length)];
    if (!document) return;
    people.signAll(document.id);
    this.#signatures.push({ title: document.name, at: clock.now(), requests: ledger.requests().length });
    this.#say(`document ${document.id} (${document.name}) is signed`);
  }

  async #violations(): Promise<string[]> {
    const { ledger } = this.service;
    const violations = ledger
      .duplicates()
      .map(group => `${group[0]?.name} was sent ${group.length} times: ${group.map(({ id }) => id).join(", ")}`);
    const reminders = ledger.mailsTo(REMINDED, "reminder").length;
    if (reminders > 1) violations.push(`${REMINDED} was reminded ${reminders} times`);
    for (const { title, at, requests } of this.#signatures) {
      const [signed, successor] = ledger.documents().filter(({ name }) => name === title);
      const request = ledger.requests().find(({ number }) => number === successor?.madeBy);
      if (!signed || !successor || !request || request.number <= requests) continue;
      // What asked before the signature, and left in the time that its line names, couldn't know of it.
      const left = request.at;
      const began = await this.#began(successor.uploadedSha256);
      if (began.some(line => line.startedAt <= at && left <= line.startedAt + line.lasts / 2)) continue;
      violations.push(`${title}: document ${signed.id}, signed, was replaced by ${successor.id} ${left - at} ms later`);
    }
    return violations;
  }

  /** What the journal says of creates with this PDF, by the right clock. */
  async #began(sha256: string): Promise<{ startedAt: number; lasts: number }[]> {
    const rows = await this.sql.unsafe<{ lines: string }[]>("select lines from docsign.journal order by position");
    type Line = { op: string; sha256?: string; startedAt: number; serviceTime?: number; lasts?: number };
    return rows
      .flatMap(({ lines }) => lines.split("\n").map(line => JSON.parse(line) as Line))
      .filter(line => line.op === "begin" && line.sha256 === sha256)
      .map(({ startedAt, serviceTime, lasts = 0 }) => ({ startedAt: serviceTime ?? startedAt, lasts }));
  }

  /** Enough older documents for lists in this order to prove what isn't there. */
  #fillAccount(): void {
    const { people, clock } = this.service;
    clock.skew(-3_600_000);
    for (let nth = 0; nth < 10; nth++) {
      const pdf = Buffer.from(`%PDF-1.4\nearlier ${nth}\n%%EOF\n`);
      people.signAll(people.upload("first", { name: `earlier ${nth}`, pdf, emails: ["ana@example.com"] }));
      clock.advance(60_000);
    }
    clock.skew(0);
  }

  async #inPeace({ ended }: Up): Promise<void> {
    const { code, stdout, stderr } = await ended;
    if (code !== 0) throw new Error(`expected a first run to go well, got:\n${stdout}${stderr}`);
  }

  async #run(who: string, { ended }: Up): Promise<void> {
    const { code, stdout, stderr } = await ended;
    const refused = [...`${stdout}${stderr}`.matchAll(/\[docsign\/([a-z-]+)\]/g)].map(([, cause]) => cause);
    const why = [...new Set(refused)].join(", ");
    this.#say(`${who}: exit ${code}${why === "" ? "" : `, ${why}`}`);
    if (code !== 0 && why === "") this.#say(`${stdout}${stderr}`.split("\n").slice(-25).join("\n"));
  }

  #say(line: string): void {
    this.#story.push(line);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}
