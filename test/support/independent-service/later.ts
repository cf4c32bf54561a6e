/** Work that was accepted and is done only when its time has come. */
export class Later {
  #parked: { due: number; work: () => void }[] = [];

  add(due: number, work: () => void): void {
    this.#parked.push({ due, work });
  }

  carryOut(now: number): void {
    const due = this.#parked.filter(one => one.due <= now);
    this.#parked = this.#parked.filter(one => one.due > now);
    for (const { work } of due) work();
  }
}
