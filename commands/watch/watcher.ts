import type { Service } from "../../provider/client/service.js";
import type { Clock } from "../../provider/core/clock.js";
import { oneLine } from "../../provider/core/text.js";
import { type Change, type Memory, recall, remember } from "./memory.js";
import { learnDocument, learnList, nextQuestion, type Question } from "./questions.js";
import type { Wake, WatchSettings } from "./settings.js";
import { concerning, deliver, type Hands } from "./waking.js";

export interface WatcherOptions {
  readonly settings: WatchSettings;
  /** Paths in the settings are relative to it. */
  readonly folder: string;
  readonly memoryPath: string;
  readonly service: Service;
  readonly clock: Clock;
  readonly hands: Hands;
  readonly say: (line: string) => void;
}

/**
 * Asks the service one question at a time, never sooner after the last than `every` says, also across restarts. A change is
 * remembered before anybody is woken, and forgotten only once they were: a crash wakes them again, never not at all.
 */
export class Watcher {
  #memory: Memory;

  constructor(private readonly options: WatcherOptions) {
    this.#memory = recall(options.memoryPath);
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
    const question = nextQuestion(this.#memory, settings, clock.now());
    this.#keep({ ...this.#memory, askedAt: clock.now(), turn: this.#memory.turn + 1 });
    try {
      const { memory, changes } = await this.#ask(question, signal);
      for (const { documentId, name, status, what } of changes) {
        say(
          `document ${documentId} "${oneLine(name)}": ${what === "status" ? oneLine(status) : "its certificates have come"}`,
        );
      }
      this.#keep({ ...memory, due: this.#dueWith(memory.due, changes) });
    } catch (error) {
      if (signal.aborted) throw error;
      say(`asked in vain, and asking again later: ${messageOf(error)}`);
    }
    await this.#wake(signal);
  }

  async #ask(question: Question, signal: AbortSignal) {
    const { service } = this.options;
    if (question.kind === "document")
      return learnDocument(this.#memory, await service.getDocument(question.id, { signal }));
    const { kind: _, ...filter } = question;
    const { rows } = await service.listDocumentsByDateRange(filter, { signal });
    return learnList(this.#memory, question.status, rows);
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
    const { folder, hands, say } = this.options;
    try {
      const changes = await concerning(wake, due, folder, hands);
      if (changes.length === 0) return true;
      say(`wakes ${wake.name}`);
      await deliver(wake, changes, folder, hands);
      return true;
    } catch (error) {
      say(`${wake.name} couldn't be woken, and is tried again: ${messageOf(error)}`);
      return false;
    }
  }

  #keep(memory: Memory): void {
    remember(this.options.memoryPath, memory);
    this.#memory = memory;
  }
}

const messageOf = (error: unknown): string => oneLine(error instanceof Error ? error.message : String(error));
