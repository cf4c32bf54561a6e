type Trimmed<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A record without its undefined values: state can't hold them. */
export function trimmed<T extends object>(record: T): Trimmed<T> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as Trimmed<T>;
}
