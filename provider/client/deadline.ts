export type EndedBy = "deadline" | "cancel";

/** Everything that may cut a request short, behind one signal: the caller, the client's close, and the deadline. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #undo: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  by: EndedBy | undefined;

  /** `grace`: asked when the caller aborts. The end comes once it settles; at once where it is undefined. */
  constructor(
    caller: AbortSignal | undefined,
    close: AbortSignal,
    private readonly grace: (released: AbortSignal) => Promise<void> | undefined = () => undefined,
  ) {
    this.#follow(caller, () => this.#endAfterGrace());
    this.#follow(close);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the deadline, anew if it was running. */
  within(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end("deadline"), ms);
  }

  /**
   * Settles with the promise or rejects at the end, whichever is first, even when the promise never settles. Nothing is
   * left behind: `Promise.race` with one promise for all would hold every answer until the end.
   */
  race<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    return new Promise((resolve, reject) => {
      const end = () => reject(signal.reason);
      promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
      if (signal.aborted) queueMicrotask(end);
      else signal.addEventListener("abort", end, { once: true });
    });
  }

  pause(): void {
    clearTimeout(this.#timer);
  }

  release(): void {
    this.pause();
    for (const undo of this.#undo) undo();
  }

  #endAfterGrace(): void {
    const released = new AbortController();
    const grace = this.grace(released.signal);
    if (!grace) {
      this.#end("cancel");
      return;
    }
    this.#undo.push(() => released.abort());
    grace.then(
      () => this.#end("cancel"),
      () => {},
    );
  }

  #follow(signal: AbortSignal | undefined, end = () => this.#end("cancel")): void {
    if (!signal) return;
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    this.#undo.push(() => signal.removeEventListener("abort", end));
  }

  #end(by: EndedBy): void {
    this.by ??= by;
    this.#controller.abort();
  }
}
