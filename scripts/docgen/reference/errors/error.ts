/** A message without a name of its own. Named causes are in provider/resources/refusal.ts. */
export interface ErrorRow {
  /** Its anchor. */
  readonly id: string;
  /** The message, or the part of it that identifies it; `…` stands for what is filled in. */
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
  readonly rows: readonly ErrorRow[];
}
