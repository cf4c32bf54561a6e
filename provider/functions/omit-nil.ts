type Absent<T> = Extract<T, null | undefined>;

type Present<T> = { [K in keyof T as Absent<T[K]> extends never ? K : never]: T[K] } & {
  [K in keyof T as Absent<T[K]> extends never ? never : K]?: NonNullable<T[K]>;
};

/** A record without what the service leaves out or calls null: an absent output is simply not there. */
export function present<T extends object>(record: T): Present<T> {
  return Object.fromEntries(
    Object.entries(record).filter(([, value]) => value !== null && value !== undefined),
  ) as Present<T>;
}
