// Which picture, of which recording, and with which words for those who don't see it.
import { parseAnsi } from "./ansi.mjs";
import { renderSvg } from "./svg.mjs";
import { trim } from "./trim.mjs";

export const COLUMNS = 106;

export const FILES = { recording: "docs/images/terminal.ansi", picture: "docs/images/terminal.svg" };

export function pictureOf(recording) {
  return renderSvg({
    lines: trim(parseAnsi(recording.trimEnd()), COLUMNS),
    columns: COLUMNS,
    title: "A contract in a terminal: who will be mailed, two signatures, a change that is refused",
    description:
      "pulumi preview says who will be mailed. pulumi up creates a folder and a contract for two people; the service mails " +
      "the first signer. Both sign. pulumi up with a refresh brings the new status and the addresses of the Bitcoin and " +
      "Ethereum certificates. The PDF is edited, and pulumi preview refuses to replace the signed contract, saying who " +
      "signed and what can be done. Everything shown was printed by a real run; an ellipsis marks what was left out.",
  });
}
