import { counted, grouped } from "../../core/text.js";
import { type Facts, peopleIn } from "../../schema/facts.js";

/** What a preview says a set does, of the facts that machines are told. */
export function summaryOf(facts: Facts): string {
  const { mails = 0, sends = 0, replaces = 0, takesBack = 0, keeps = 0, letsGo = 0 } = facts;
  const { undecided = 0, unclear = 0, refused = 0 } = facts;
  const documents = [
    sends > 0 && counted(sends, "new document"),
    replaces > 0 && `${counted(replaces, "document")} in place of others`,
  ];
  const besides = joined(documents);
  const people = peopleIn(facts);
  const whom = mails > 0 ? counted(people, "person", "people") : undecided > 0 ? "people not known yet" : "nobody";
  const parts = [
    `${whom} will be mailed${people < mails ? `, ${grouped(mails)} mails` : ""}${besides === "" ? "" : ` (${besides})`}`,
    takesBack > 0 && `${counted(takesBack, "document")} taken back`,
    keeps > 0 && `${counted(keeps, "document")} kept`,
    letsGo > 0 && `${counted(letsGo, "document")} let go of`,
    undecided > 0 && `${counted(undecided, "row")} not known yet`,
    unclear > 0 && `${counted(unclear, "row")} unclear`,
    refused > 0 && `${counted(refused, "row")} refused`,
  ];
  return `in all: ${joined(parts)}`;
}

const joined = (parts: readonly (string | false)[]): string => parts.filter(part => part !== false).join(", ");
