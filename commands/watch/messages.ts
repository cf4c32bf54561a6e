import { oneLine } from "../../provider/core/text.js";
import type { Notice } from "./notices.js";
import type { Notify } from "./settings.js";

/** What is posted. Names and addresses come from outside: to nobody do they look like markup. */
export function messageFor(to: Notify["to"], notice: Notice): string {
  if (to === "slack") return JSON.stringify({ text: textOf(notice, forSlack) });
  if (to === "teams") return JSON.stringify(card(textOf(notice, forTeams)));
  const { key: _, ...facts } = notice;
  return JSON.stringify({ ...facts, text: textOf(notice, oneLine) });
}

function textOf({ event, documentId, name, signed, of, people }: Notice, plain: (text: string) => string): string {
  const shown = (text: string) => unlinked(plain(text));
  // A quote in the name would end it early, and what follows would be said by us.
  const document = `"${shown(name.replaceAll('"', "'"))}" (document ${documentId})`;
  const who = people.map(email => (email === "" ? "somebody" : shown(email))).join(", ");
  switch (event) {
    case "first":
      return `${document}: ${signed} of ${of} signed`;
    case "last":
      return `${document} is signed by everybody`;
    case "refusal":
      return `${document} was refused by ${who}`;
    case "deadline":
      return `${document} is past its deadline, and ${who} ${people.length === 1 ? "hasn't" : "haven't"} signed`;
  }
}

/** A chat makes a link of what looks like an address, and a picture of a name between colons, whatever is escaped in it. */
const unlinked = (text: string): string =>
  text.replace(/:(?=\/\/|[\w+-]+:)|\bwww(?=\.)|\b(?:mailto|tel):/gi, found => `${found}\u200b`);

const ENTITIES = new Map(Object.entries({ "&": "&amp;", "<": "&lt;", ">": "&gt;" }));

/** Slack reads three characters for markup that leads somewhere or calls people; the others only look. */
const forSlack = (text: string): string =>
  oneLine(text)
    .replace(/[&<>]/g, found => ENTITIES.get(found) ?? "")
    .replace(/[*_~`]/g, "\u200b$&");

const forTeams = (text: string): string => oneLine(text).replace(/[\\`*_{}[\]()#+!|<>~-]/g, "\\$&");

const card = (text: string) => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        ...{ type: "AdaptiveCard", version: "1.4", body: [{ type: "TextBlock", text, wrap: true }] },
      },
    },
  ],
});
