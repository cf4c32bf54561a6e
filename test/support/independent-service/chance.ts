/** Chance that repeats: the same seed gives the same numbers on every machine. */
export type Chance = () => number;

export function chance(seed: number): Chance {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A seed out of a seed and words, so that a decision hangs on what is decided and not on who came first. */
export function seedFrom(seed: number, ...words: (string | number)[]): number {
  let hash = (2_166_136_261 ^ seed) >>> 0;
  for (const char of words.join("\u0000")) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return hash;
}

export function shuffled<T>(items: readonly T[], next: Chance): T[] {
  return items
    .map(item => ({ item, weight: next() }))
    .sort((a, b) => a.weight - b.weight)
    .map(({ item }) => item);
}

export function pick<T>(items: readonly T[], next: Chance): T | undefined {
  return items[Math.floor(next() * items.length)];
}
