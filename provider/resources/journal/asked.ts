/** The names a process has asked its journal about, in turn, and how many of them have been read. */
export class Asked {
  readonly names: string[] = [];
  read = 0;
  readonly #nth = new Map<string, number>();

  add(names: readonly string[]): void {
    for (const name of names) if (!this.#nth.has(name)) this.#nth.set(name, this.names.push(name));
  }

  isRead(name: string): boolean {
    return (this.#nth.get(name) ?? Number.POSITIVE_INFINITY) <= this.read;
  }
}
