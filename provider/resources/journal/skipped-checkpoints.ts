/**
 * `PULUMI_SKIP_CHECKPOINTS`: the engine writes its state at the end of a run alone. What state would lose in a crash the
 * journal knows, of our own resources and where it outlives the machine.
 */
export interface Circumstances {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the next run will find the journal. */
  readonly isKept: boolean;
  /** Names of other providers that work for the same engine, as far as this process sees them. */
  readonly others: () => readonly string[];
}

/** What there is to say; undefined where nothing is lost, or nothing is known yet. */
export function lossWithoutCheckpoints({ env, isKept, others }: Circumstances): string | undefined {
  if (!/^(1|true)$/i.test(env["PULUMI_SKIP_CHECKPOINTS"] ?? "")) return undefined;
  if (!isKept) return NOT_KEPT;
  const names = others();
  return names.length === 0 ? undefined : forgotten(names);
}

const NOT_KEPT =
  "PULUMI_SKIP_CHECKPOINTS is set, and the journal may be gone with this machine: after a crash nothing would know what was sent. " +
  "Set `docsign:journal` or DOCSIGN_JOURNAL to postgres://… or s3://…, or unset PULUMI_SKIP_CHECKPOINTS";

const forgotten = (names: readonly string[]): string =>
  `PULUMI_SKIP_CHECKPOINTS is set, and this run has other providers (${names.join(", ")}): after a crash nobody would know what they made, as the journal ` +
  "holds this provider's resources alone. Unset PULUMI_SKIP_CHECKPOINTS, or give those resources a stack of their own";
