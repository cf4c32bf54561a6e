/** Remembers its answer for the latest value: a set renders one template for each of its rows. */
export function ofLatest<From extends string | object, T, More extends unknown[]>(
  make: (from: From, ...more: More) => T,
): (from: From, ...more: More) => T {
  let known: { readonly from: From; readonly made: T } | undefined;
  return (from, ...more) => {
    if (known?.from !== from) known = { from, made: make(from, ...more) };
    return known.made;
  };
}
