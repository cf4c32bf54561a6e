import { existsSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import type { RenderRequest } from "../sdk/templates/render.js";
import type { Question, Reply } from "../sdk/templates/render-thread.js";
import type { TemplateRenderer } from "./resources/pdf/template-input.js";

/** The renderer is a bundle of its own, with its libraries and fonts: a plugin that never renders never loads it. */
const load = () => import("../sdk/templates/render.js");

/** A thread takes 50 ms and 20 MB more than rendering here: worth it for a set's rows, which are asked about side by side. */
const MANY = 8;

/** Renders here, or many templates in a thread: requests go out meanwhile. */
export class Renderer implements TemplateRenderer {
  #thread: Promise<Thread | undefined> | undefined;
  #asking = 0;

  /** Without the thread's file everything is rendered here. */
  constructor(private readonly threadFile: string | undefined = besideBundle()) {}

  async render(request: RenderRequest): ReturnType<TemplateRenderer["render"]> {
    const thread = await this.#thread;
    return thread ? thread.ask("render", request) : (await load()).render(request);
  }

  async problemsOf(request: RenderRequest, unknown: readonly string[]): Promise<readonly string[]> {
    const thread = await this.#forMany();
    return thread ? thread.ask("problemsOf", request, unknown) : (await load()).problemsOf(request, unknown);
  }

  async #forMany(): Promise<Thread | undefined> {
    const { threadFile } = this;
    if (this.#thread || threadFile === undefined) return this.#thread;
    this.#asking++;
    await turn();
    // Where it can't be started, this goes on here.
    if (this.#asking > MANY) this.#thread ??= this.#started(threadFile).catch(() => undefined);
    this.#asking--;
    return this.#thread;
  }

  async #started(file: string): Promise<Thread> {
    // Loaded here: it takes 3 ms, which every start of the plugin would take.
    const { Worker } = await import("node:worker_threads");
    // One that has ended would end again.
    return new Thread(new Worker(file), () => {
      this.#thread = Promise.resolve(undefined);
    });
  }
}

/** The plugin's bundle has it; sources, other bundles and the single executable, which is no folder, don't. */
function besideBundle(): string | undefined {
  const file = join(dirname(typeof __filename === "string" ? __filename : import.meta.filename), THREAD);
  return isAbsolute(file) && existsSync(file) ? file : undefined;
}

const THREAD = join("templates", "render-thread.cjs");

interface Waiting {
  resolve(answer: unknown): void;
  reject(error: unknown): void;
  /** The same on this thread. */
  here(): Promise<unknown>;
}

class Thread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #numbers = new WeakMap<object, number>();
  #latest = 0;

  constructor(worker: Worker, ended: () => void) {
    this.#worker = worker;
    this.#worker.on("message", (reply: Reply) => {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ("answer" in reply) waiting?.resolve(reply.answer);
      else waiting?.reject(reply.error);
    });
    this.#worker.on("messageerror", () => void this.#worker.terminate());
    // It ends with it.
    this.#worker.on("error", () => undefined);
    this.#worker.on("exit", () => {
      ended();
      for (const { resolve, reject, here } of this.#waiting.values()) here().then(resolve, reject);
    });
    // It keeps no process that has nothing else to do. A listener that comes later would undo that.
    this.#worker.unref();
  }

  ask<Answer>(ask: Question["ask"], request: RenderRequest, unknown: readonly string[] = []): Promise<Answer> {
    const { source, fonts, ...options } = request;
    const shared: Question["shared"][number][] = [];
    const numberOf = (each: RenderRequest["source"] | Uint8Array): number => {
      const known = this.#numbers.get(each);
      if (known !== undefined) return known;
      const number = this.#numbered();
      this.#numbers.set(each, number);
      shared.push([number, each]);
      return number;
    };
    const question: Question = {
      id: this.#numbered(),
      ask,
      source: numberOf(source),
      fonts: fonts.map(({ name, bytes }) => ({ name, bytes: numberOf(bytes) })),
      shared,
      options,
      unknown,
    };
    const here = async (): Promise<unknown> => {
      const { render, problemsOf } = await load();
      return ask === "render" ? render(request) : problemsOf(request, unknown);
    };
    return new Promise((resolve, reject) => {
      this.#waiting.set(question.id, { resolve: resolve as Waiting["resolve"], reject, here });
      this.#worker.postMessage(question);
    });
  }

  #numbered(): number {
    this.#latest += 1;
    return this.#latest;
  }
}
