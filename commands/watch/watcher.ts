import { resolve } from "node:path";
import type { Service } from "../../provider/client/service.js";
import type { Clock } from "../../provider/core/clock.js";
import { oneLine } from "../../provider/core/text.js";
import { messageOf } from "../cli/flags.js";
import { documentsIn } from "../stack-documents.js";
import { type Change, documentPolled, listPolled, type Memory, nextPoll, readMemory, writeMemory } from "./memory.js";
import type { Wake, WatchSettings } from "./settings.js";

/** What a watcher may do beside asking the service. */
export interface Effects {
  /** Runs a program to its end, its output in this terminal. */
  run(command: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<number>;
  /** Runs a program to its end, and returns its output. */
  output(command: readonly string[], cwd: string): Promise<string>;
  post(url: string, body: string): Promise<number>;
}

interface WatcherOptions {
  readonly settings: WatchSettings;
  /** Paths in the settings are relative to it. */
  readonly folder: string;
  readonly memoryPath: string;
  readonly service: Service;
  readonly clock: Clock;
  readonly effects: Effects;
  readonly say: (line: string) => void;
}

/**
 * Asks the service one question at a time, never sooner after the last than `every` says, also across restarts. A change is
 * remembered before anybody is woken, and forgotten only once they were: a crash wakes them again, never not at all.
 */
export class Watcher {
  #memory: Memory;

  constructor(private readonly options: WatcherOptions) {
    this.#memory = readMemory(options.memoryPath);
  }

  /** One turn, when it is time for one. */
  async once(signal: AbortSignal): Promise<void> {
    await this.#pause(signal);
    await this.#turn(signal);
  }

  /** Until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.once(signal);
      } catch (error) {
        if (signal.aborted) return;
        throw error;
      }
    }
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, settings } = this.options;
    const until = this.#memory.askedAt + settings.every * 1000;
    // A clock that was set back must not stop the watcher for longer than one pause.
    const left = Math.min(until - clock.now(), settings.every * 1000);
    if (left > 0) await clock.wait(left, signal);
  }

  /** One question, and what comes of it. */
  async #turn(signal: AbortSignal): Promise<void> {
    const { clock, settings, say } = this.options;
    const poll = nextPoll(this.#memory, settings, clock.now());
    await this.#keep({ ...this.#memory, askedAt: clock.now(), turn: this.#memory.turn + 1 });
    try {
      const { memory, changes } = await this.#poll(poll, signal);
      for (const { documentId, name, status, what } of changes) {
        say(
          `document ${documentId} "${oneLine(name)}": ${what === "status" ? oneLine(status) : "its certificates have come"}`,
        );
      }
      await this.#keep({ ...memory, due: this.#dueWith(memory.due, changes) });
    } catch (error) {
      if (signal.aborted) throw error;
      say(`asked in vain, and asking again later: ${oneLine(messageOf(error))}`);
    }
    await this.#wake(signal);
  }

  async #poll(poll: ReturnType<typeof nextPoll>, signal: AbortSignal) {
    const { service } = this.options;
    if ("id" in poll) return documentPolled(this.#memory, await service.getDocument(poll.id, { signal }));
    const { rows } = await service.listDocumentsByDateRange(poll, { signal });
    return listPolled(this.#memory, poll.status, rows);
  }

  /** Every change waits for every wake it may concern: who is concerned is looked up when they are woken. */
  #dueWith(due: Memory["due"], changes: readonly Change[]): Memory["due"] {
    if (changes.length === 0) return due;
    const names = this.options.settings.wake.map(({ name }) => name);
    return new Map(names.map(name => [name, [...(due.get(name) ?? []), ...changes]]));
  }

  async #wake(signal: AbortSignal): Promise<void> {
    for (const wake of this.options.settings.wake) {
      if (signal.aborted) return;
      const due = this.#memory.due.get(wake.name) ?? [];
      if (due.length === 0 || !(await this.#isWoken(wake, due))) continue;
      await this.#keep({ ...this.#memory, due: new Map(this.#memory.due).set(wake.name, []) });
    }
  }

  async #isWoken(wake: Wake, due: readonly Change[]): Promise<boolean> {
    const { say } = this.options;
    try {
      const wanted = await this.#documentsOf(wake);
      const changes = due.filter(({ documentId }) => wanted?.includes(documentId) ?? true);
      if (changes.length === 0) return true;
      say(`wakes ${wake.name}`);
      await this.#deliver(wake, changes);
      return true;
    } catch (error) {
      say(`${wake.name} couldn't be woken, and is tried again: ${oneLine(messageOf(error))}`);
      return false;
    }
  }

  async #documentsOf({ documents, documentsOf: of }: Wake): Promise<readonly string[] | undefined> {
    const { folder, effects } = this.options;
    return documents ?? (of && documentsIn(await exportStack(of, folder, effects)));
  }

  async #deliver({ run = [], cwd = ".", webhook }: Wake, changes: readonly Change[]): Promise<void> {
    const { folder, effects } = this.options;
    if (webhook !== undefined) {
      const status = await effects.post(webhook, JSON.stringify({ changes }));
      if (status < 200 || status > 299) throw new Error(`expected 2xx of the webhook, got ${status}`);
      return;
    }
    const ids = [...new Set(changes.map(({ documentId }) => documentId))].join(",");
    const code = await effects.run(run, resolve(folder, cwd), { DOCSIGN_CHANGED: ids });
    if (code !== 0) throw new Error(`expected \`${run.join(" ")}\` to end with 0, got ${code}`);
  }

  async #keep(memory: Memory): Promise<void> {
    await writeMemory(this.options.memoryPath, memory);
    this.#memory = memory;
  }
}

/** A stack's state, as `pulumi stack export` prints it. */
export function exportStack(
  { stack, cwd }: NonNullable<Wake["documentsOf"]>,
  folder: string,
  effects: Pick<Effects, "output">,
): Promise<string> {
  return effects.output(["pulumi", "stack", "export", "--stack", stack, "--non-interactive"], resolve(folder, cwd));
}
