// Which picture, of which recording, and with which words for those who don't see it.
import { parseAnsi } from "./ansi.mjs";
import { renderSvg } from "./svg.mjs";
import { trim } from "./trim.mjs";

export const COLUMNS = 84;

export const FILES = { recording: "docs/images/terminal.ansi", picture: "docs/images/terminal.svg" };

export function pictureOf(recording) {
  return renderSvg({
    lines: trim(parseAnsi(recording.trimEnd()), COLUMNS),
    columns: COLUMNS,
    title: "A contract in a terminal: pulumi up, two signatures, certificate addresses",
    description:
      "pulumi up creates a folder and a contract for two people; the service mails the first signer. Both sign. " +
      "pulumi up with a refresh brings the new status and the addresses of the Bitcoin and Ethereum certificates, " +
      "and pulumi stack output lists them. Everything shown was printed by a real run; an ellipsis marks what was left out.",
  });
}
