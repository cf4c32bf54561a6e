/** A message a user can meet. A test holds each against the code that says it, and each place in the code against these. */
export interface Trouble {
  /** Its anchor. */
  readonly id: string;
  /** As the code says it, or the telling part of it; `…` stands for what is filled in. */
  readonly says: readonly string[];
  readonly means: string;
  readonly todo: string;
  /** A warning: the command goes on. */
  readonly warning?: true;
  /** Resources and functions that say it, by name, where it isn't all that the section names. */
  readonly at?: readonly string[];
}

export interface Section {
  readonly title: string;
  /** Said before the table. */
  readonly about?: string;
  readonly at: readonly string[];
  readonly rows: readonly Trouble[];
}
