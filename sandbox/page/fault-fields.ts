import { resetPoints } from "../control/parse.js";
import type { FaultKind } from "../faults/fault.js";
import { createAnswers } from "../routes/create-answer.js";
import type { Field } from "./forms.js";

const number = (name: string, label: string, value: number | "" = ""): Field => ({
  name,
  label,
  kind: "number",
  value,
});
const text = (name: string, label: string, value = ""): Field => ({ name, label, value });
const boolean = (name: string, label: string, options: Readonly<Record<string, string>>): Field => ({
  name,
  label,
  kind: "boolean",
  options: Object.entries(options).map(([value, text]) => ({ value, text })),
});
const processed = boolean("processed", "Acted on first", { "": "as usual", true: "yes", false: "no" });

/** The parameters each fault takes. A function, as `rewrite` needs, can't come over HTTP. */
export const faultFields: Record<Exclude<FaultKind, "rewrite">, readonly Field[]> = {
  delay: [number("ms", "Milliseconds", 2000)],
  status: [number("status", "Status", 503), text("retryAfter", "Retry-After"), text("body", "Body"), processed],
  reset: [{ name: "at", label: "When", options: resetPoints, value: "after" }],
  never: [processed],
  drip: [number("ms", "Milliseconds a byte", 10)],
  stall: [number("bytes", "Bytes first")],
  truncated: [number("bytes", "Bytes")],
  html: [number("status", "Status", 200)],
  "content-type": [text("contentType", "Content-Type", "text/plain")],
  empty: [],
  bom: [],
  "not-ok": [number("status", "Status", 200)],
  "too-large": [number("bytes", "Bytes")],
  bomb: [number("bytes", "Bytes")],
  deep: [number("levels", "Levels", 10_000)],
  redirect: [
    number("status", "Status", 302),
    text("to", "To"),
    boolean("crossOrigin", "To another origin", { "": "no", true: "yes" }),
  ],
  raw: [text("body", "Bytes", "HTTP/1.1 200 OK")],
  answer: [
    number("status", "Status", 200),
    text("contentType", "Content-Type", "application/json"),
    text("body", "Body", "{}"),
  ],
  date: [number("ms", "Milliseconds", 3_600_000)],
  "stale-socket": [],
  "create-answer": [{ name: "variant", label: "Variant", options: createAnswers }, number("status", "Status", 201)],
};
