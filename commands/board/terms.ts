import { parseDuration } from "../../provider/schema/types.js";
import { counted } from "../ui/time.js";
import type { DocumentFacts } from "./documents.js";
import type { Contract } from "./model.js";

const DAY = 86_400_000;
/** A contract that ends within so many days is named, also where it says nothing of a renewal. */
const SOON_DAYS = 30;

type Ends = Pick<Contract, "effectiveFrom" | "expiresAt" | "endsInDays" | "toRenew">;

/** What a contract's terms mean on this day. */
export function endsOf({ effectiveFrom, expiresAt, renewBefore }: DocumentFacts, now: Date): Ends {
  const today = Date.parse(now.toISOString().slice(0, 10));
  const end = /^\d{4}-\d{2}-\d{2}$/.test(expiresAt ?? "") ? Date.parse(expiresAt ?? "") : Number.NaN;
  const start = effectiveFrom === undefined ? {} : { effectiveFrom };
  if (expiresAt === undefined || Number.isNaN(end)) return start;
  const endsInDays = Math.round((end - today) / DAY);
  const before = parseDuration(renewBefore ?? "") ?? 0;
  return { ...start, expiresAt, endsInDays, toRenew: before > 0 && endsInDays * DAY <= before };
}

/** `ends in 30 days`; nothing of a contract without an end. */
export function endText({ endsInDays }: Pick<Contract, "endsInDays">): string | undefined {
  if (endsInDays === undefined) return undefined;
  if (endsInDays === 0) return "ends today";
  return endsInDays > 0 ? `ends in ${counted(endsInDays, "day")}` : `ended ${counted(-endsInDays, "day")} ago`;
}

/** Contracts that somebody should see to, the next end first. One that has ended needs nobody unless it was to be renewed. */
export const endingSoon = (contracts: readonly Contract[]): Contract[] =>
  contracts
    .filter(
      ({ endsInDays, toRenew }) => toRenew || (endsInDays !== undefined && endsInDays >= 0 && endsInDays <= SOON_DAYS),
    )
    .sort((one, other) => (one.endsInDays ?? 0) - (other.endsInDays ?? 0));
