import { z } from "zod";

/** A JSON object whose keys come from outside, taken as it is: `z.record` drops a key named `__proto__`, and with it a row. */
export const jsonObject = z.custom<Readonly<Record<string, unknown>>>(
  value => typeof value === "object" && value !== null && !Array.isArray(value),
  { error: "expected an object" },
);

/** The same, and an empty one for anything else. */
export const objectIn = (value: unknown): Readonly<Record<string, unknown>> => jsonObject.safeParse(value).data ?? {};
