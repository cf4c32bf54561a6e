import { oneLine, quoted } from "../../../provider/core/text.js";
import { kindOf } from "../../../provider/resources/journal/contract.js";
import type { OpenCreate } from "./open-creates.js";

/** The command that says so of these creates. */
type Resolving = (tokens: readonly string[], word: string) => string;

/** What a person reads of open creates, and what would settle them. */
export function textOf(creates: readonly OpenCreate[], resolving: Resolving): string {
  if (creates.length === 0) return "every create is settled\n";
  const tokens = creates.filter(({ answered, said }) => !answered && said === undefined).map(({ token }) => token);
  const texts = creates.map(each => textOfOne(each, resolving));
  if (tokens.length > 1)
    texts.push(
      `${tokens.length === creates.length ? "all" : tokens.length} of them, where the platform shows none:\n  ${resolving(tokens, "--never-arrived")}\n`,
    );
  return texts.join("\n");
}

function textOfOne(
  { token, urn, service, since, answered, hints, said, saidBy, candidates }: OpenCreate,
  resolving: Resolving,
): string {
  const kind = kindOf(urn);
  const ids = hints.filter(id => id !== said);
  const [likely] = said === undefined ? [...ids, ...(candidates ?? []).map(({ id }) => id)] : [];
  const known = [
    ...(answered && said === undefined ? ["the service answered that it was created"] : []),
    ...ids.map(id => `the service named ${kind} ${oneLine(id)}, which couldn't be confirmed`),
    ...(said === undefined ? [] : [`${oneLine(saidBy ?? "a person")} said that it is ${kind} ${oneLine(said)}`]),
    ...(candidates === undefined
      ? [
          kind === "folder"
            ? "the service can't list folders: the platform shows them"
            : "the settings name another service, or none: which documents may be it isn't known",
        ]
      : candidates.length === 0
        ? ["the service lists no document of its name that nobody holds"]
        : candidates.map(
            ({ id, status, createdAt }) =>
              `document ${id} may be it: ${oneLine(status)}, created ${oneLine(createdAt ?? "at an unknown time")}`,
          )),
  ];
  return [
    `${oneLine(token)}  ${oneLine(urn)}`,
    `  begun ${since} at ${oneLine(service)}`,
    ...known.map(line => `  ${line}`),
    kind === "folder"
      ? "  to settle it: `pulumi up` of its stack, which creates another, or first, once you have looked at the platform,"
      : "  to settle it: `pulumi up` of its stack, which looks for it. Where that doesn't, look at the platform, then",
    `    ${resolving([token], `--is ${likely === undefined ? "ID" : quoted(oneLine(likely))}`)}`,
    `    ${resolving([token], answered || said !== undefined ? "--never-arrived --force" : "--never-arrived")}`,
    "",
  ].join("\n");
}
