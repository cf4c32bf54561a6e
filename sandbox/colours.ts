import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** Colours on a terminal, unless NO_COLOR is set; FORCE_COLOR brings them everywhere, and FORCE_COLOR=0 nowhere. */
export function paintFor(stream: { isTTY?: boolean }, env: Readonly<Record<string, string | undefined>>): Paint {
  const forced = env["FORCE_COLOR"];
  const wanted =
    forced === undefined
      ? stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb"
      : !["0", "false"].includes(forced);
  return (style, text) => (wanted ? styleText(style, text, { validateStream: false }) : text);
}

export const plainly: Paint = (_, text) => text;
