/** Remembers its answer for the latest value: a set renders one template for each of its rows. */
export function ofLatest<From extends string | number | object, T, More extends unknown[]>(
  make: (from: From, ...more: More) => T,
): (from: From, ...more: More) => T {
  let known: { readonly from: From; readonly made: T } | undefined;
  return (from, ...more) => {
    if (known?.from !== from) known = { from, made: make(from, ...more) };
    return known.made;
  };
}

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
