/** What the engine says about a resource. */
export interface Notice {
  readonly urn: string;
  readonly message: string;
}

const TOTAL = /\bwill mail ([\d,]+) people in all\b/;
const MAIL = /\bwill mail (.+?): /;
const COUNTED = /^(\d+) (?:person|people)$/;

/** How many people the resources of a preview say will be mailed; undefined where one doesn't know yet. */
export function mailsIn(notices: readonly Notice[]): number | undefined {
  const lines = new Map<string, Set<string>>();
  for (const { urn, message } of notices) {
    const known = lines.get(urn) ?? new Set();
    lines.set(urn, known);
    for (const line of message.split("\n")) if (line.includes("will mail ")) known.add(line.trim());
  }
  let sum = 0;
  for (const said of lines.values()) {
    const total = [...said].flatMap(line => TOTAL.exec(line)?.[1] ?? [])[0];
    if (total !== undefined) {
      sum += Number(total.replaceAll(",", ""));
      continue;
    }
    for (const line of said) {
      const people = peopleIn(line);
      if (people === undefined) return undefined;
      sum += people;
    }
  }
  return sum;
}

/** `ana@example.com, bob@example.com, then eve@example.com (in stage 2, after those before)` are three. */
function peopleIn(line: string): number | undefined {
  const who = MAIL.exec(line)?.[1];
  if (who === undefined || who === "people not known yet") return undefined;
  const counted = COUNTED.exec(who);
  if (counted) return Number(counted[1]);
  return who.replace(/ \(in stage [^)]*\)/g, "").split(", ").length;
}

export const plainText = (message: string): string => message.replace(/<\{%[^%]*%\}>/g, "").trim();
