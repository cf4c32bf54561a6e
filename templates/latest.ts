/** Remembers its answer for the latest text: a set renders one template for each of its rows. */
export function ofLatest<T, More extends unknown[]>(
  make: (text: string, ...more: More) => T,
): (text: string, ...more: More) => T {
  let known: { readonly text: string; readonly made: T } | undefined;
  return (text, ...more) => {
    if (known?.text !== text) known = { text, made: make(text, ...more) };
    return known.made;
  };
}
