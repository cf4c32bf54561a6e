import { propertiesWhere, type ResourceDeclaration } from "../../kit/property.js";
import type { UpdateArguments } from "../../kit/provider.js";
import { isUnknown } from "../../kit/values.js";
import { documentDeclaration } from "./document/declaration.js";
import { changesOf } from "./document/state.js";
import { folderDeclaration } from "./folder-declaration.js";
import { reminderDeclaration } from "./reminder/declaration.js";
import { gateDeclaration } from "./signature-gate/declaration.js";

/**
 * Why Update can't do what it is asked for; undefined where it can. The engine replaces where Diff says so; `pulumi do
 * … patch` calls Update all the same, and would report a change that nobody made.
 */
export function updateRefusal(token: string, args: UpdateArguments): string | undefined {
  // Engines from before Handshake send no old inputs, and nothing can be compared.
  if (Object.keys(args.oldInputs).length === 0) return undefined;
  const paths = token === documentDeclaration.token ? documentPaths(args) : declaredPaths(token, args);
  if (paths.length === 0) return undefined;
  const kind = token.slice(token.lastIndexOf(":") + 1);
  return `${kind} ${args.id} can't be updated in place: a change of ${paths.join(", ")} takes a new ${kind}. Nothing was changed, and no one was mailed. [docsign/update-replaces]\n\`pulumi do ${token} create\` makes a new one; in a stack, change the program and run \`pulumi up\`, which replaces it where that is allowed.`;
}

const documentPaths = ({ olds, oldInputs, news }: UpdateArguments): string[] =>
  changesOf(oldInputs, news, olds)
    .filter(change => !change.unknown)
    .map(change => change.path);

const DECLARED = new Map<string, ResourceDeclaration>(
  [folderDeclaration, gateDeclaration, reminderDeclaration].map(declaration => [declaration.token, declaration]),
);

function declaredPaths(token: string, { olds, oldInputs, news }: UpdateArguments): string[] {
  const declaration = DECLARED.get(token);
  if (!declaration) return [];
  return propertiesWhere(declaration.inputs, meta => meta.replaces === true).filter(name => {
    const wanted = news[name];
    if (wanted === undefined || isUnknown(wanted)) return false;
    return ![oldInputs[name], olds[name]].some(known => String(known) === String(wanted));
  });
}
