export type EndedBy = "deadline" | "cancel";

/** Everything that may cut a request short, behind one signal: the caller, the client's close, and the deadline. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #undo: (() => void)[] = [];
  readonly #ended: Promise<never>;
  #timer: NodeJS.Timeout | undefined;
  by: EndedBy | undefined;

  /** `grace`: asked when the caller aborts. The end comes once it settles; at once where it is undefined. */
  constructor(
    caller: AbortSignal | undefined,
    close: AbortSignal,
    private readonly grace: (released: AbortSignal) => Promise<void> | undefined = () => undefined,
  ) {
    this.#ended = new Promise((_, reject) => {
      this.#controller.signal.addEventListener("abort", () => reject(this.#controller.signal.reason), { once: true });
    });
    this.#ended.catch(() => {});
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

  /** Settles with the promise or rejects at the end, whichever is first, even when the promise never settles. */
  race<T>(promise: Promise<T>): Promise<T> {
    promise.catch(() => {});
    return Promise.race([promise, this.#ended]);
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
