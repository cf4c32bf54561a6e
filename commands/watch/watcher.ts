import type { Service } from "../../provider/client/service.js";
import type { Clock } from "../../provider/core/clock.js";
import { oneLine } from "../../provider/core/text.js";
import { messageOf } from "../cli/flags.js";
import { type Change, type Memory, readMemory, writeMemory } from "./memory.js";
import { documentPolled, listPolled, nextPoll, type Poll } from "./polls.js";
import type { Wake, WatchSettings } from "./settings.js";
import { deliver, type Effects, relevantChanges } from "./wake.js";

export interface WatcherOptions {
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
    this.#keep({ ...this.#memory, askedAt: clock.now(), turn: this.#memory.turn + 1 });
    try {
      const { memory, changes } = await this.#poll(poll, signal);
      for (const { documentId, name, status, what } of changes) {
        say(
          `document ${documentId} "${oneLine(name)}": ${what === "status" ? oneLine(status) : "its certificates have come"}`,
        );
      }
      this.#keep({ ...memory, due: this.#dueWith(memory.due, changes) });
    } catch (error) {
      if (signal.aborted) throw error;
      say(`asked in vain, and asking again later: ${oneLine(messageOf(error))}`);
    }
    await this.#wake(signal);
  }

  async #poll(poll: Poll, signal: AbortSignal) {
    const { service } = this.options;
    if (poll.kind === "document") return documentPolled(this.#memory, await service.getDocument(poll.id, { signal }));
    const { kind: _, ...filter } = poll;
    const { rows } = await service.listDocumentsByDateRange(filter, { signal });
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
      if (due.length === 0 || !(await this.#woken(wake, due))) continue;
      this.#keep({ ...this.#memory, due: new Map(this.#memory.due).set(wake.name, []) });
    }
  }

  async #woken(wake: Wake, due: readonly Change[]): Promise<boolean> {
    const { folder, effects, say } = this.options;
    try {
      const changes = await relevantChanges(wake, due, folder, effects);
      if (changes.length === 0) return true;
      say(`wakes ${wake.name}`);
      await deliver(wake, changes, folder, effects);
      return true;
    } catch (error) {
      say(`${wake.name} couldn't be woken, and is tried again: ${oneLine(messageOf(error))}`);
      return false;
    }
  }

  #keep(memory: Memory): void {
    writeMemory(this.options.memoryPath, memory);
    this.#memory = memory;
  }
}
