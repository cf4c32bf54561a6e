/** What was made of the latest few keys: most of what a row's contract needs is what the row's before it needed. */
export class Recent<T> {
  readonly #made = new Map<string, T>();

  constructor(private readonly most: number) {}

  get(key: string, make: () => T): T {
    const made = this.#made.get(key) ?? make();
    this.#made.delete(key);
    this.#made.set(key, made);
    const oldest = this.#made.keys().next();
    if (this.#made.size > this.most && !oldest.done) this.#made.delete(oldest.value);
    return made;
  }
}
