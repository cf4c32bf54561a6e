import { z } from "zod";
import type { Board } from "./model.js";

const listSchema = z.looseObject({
  format: z.literal(1),
  creates: z.array(
    z.looseObject({
      token: z.string(),
      urn: z.string(),
      since: z.string(),
      answered: z.boolean(),
      candidates: z.array(z.looseObject({ id: z.string() })).nullish(),
    }),
  ),
});

export const isOpenCreates = (value: unknown): boolean => listSchema.safeParse(value).success;

/** What `docsign journal list --json` writes. */
export function readOpenCreates(value: unknown): Board["open"] {
  return listSchema.parse(value).creates.map(({ token, urn, since, answered, candidates }) => {
    const [stack = "", project = "", , ...name] = urn.replace(/^urn:pulumi:/, "").split("::");
    const ids = (candidates ?? []).map(({ id }) => id);
    return { token, stack: `${project}/${stack}`, resource: name.join("::"), since, answered, candidates: ids };
  });
}
