/** The name somebody meant: the closest one that is at most two slips of the finger away. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  const [best] = [...names].map(name => ({ name, slips: slips(word, name) })).sort((a, b) => a.slips - b.slips);
  return best && best.slips <= 2 ? best.name : undefined;
}

/** How many letters have to be put in, taken out or changed. */
function slips(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (const [line, letter] of [...one].entries()) {
    const next = [line + 1];
    for (const [column, wanted] of [...other].entries()) {
      const changed = (row[column] ?? 0) + (letter === wanted ? 0 : 1);
      next.push(Math.min(changed, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
