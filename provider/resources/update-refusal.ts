import { propertiesWhere, type ResourceDeclaration } from "../../kit/property.js";
import { ReplacementError } from "../../kit/resource.js";
import { isUnknown, type Values } from "../../kit/values.js";
import { documentDeclaration } from "./document/declaration.js";
import { changesOf } from "./document/state.js";
import { reminderDeclaration } from "./reminder/declaration.js";
import { type Resource, UserError } from "./resource.js";
import { gateDeclaration } from "./signature-gate/declaration.js";

interface Update {
  readonly id: string;
  readonly olds: Values;
  readonly oldInputs: Values;
  readonly news: Values;
}

/** The resource, whose Update refuses what takes a new one, and says what to do instead. */
export function refusingReplacements(resource: Resource): Resource {
  const { token } = resource;
  return {
    ...resource,
    async update(call, args) {
      try {
        const paths = replacingPaths(token, args);
        if (paths.length > 0 && !(await resource.isUnchanged?.(call, args)))
          throw new ReplacementError(token, args.id, paths);
        return await resource.update(call, args);
      } catch (error) {
        if (!(error instanceof ReplacementError)) throw error;
        throw new UserError(
          `${error.message.slice(0, -1)}, and no one was mailed. [docsign/update-replaces]\n\`pulumi do ${token} create\` makes a new one; in a stack, change the program and run \`pulumi up\`, which replaces it where that is allowed.`,
        );
      }
    },
  };
}

/** Of the resources that the kit doesn't compare. */
function replacingPaths(token: string, args: Update): string[] {
  // Engines from before Handshake send no old inputs, and nothing can be compared.
  if (Object.keys(args.oldInputs).length === 0) return [];
  return token === documentDeclaration.token ? documentPaths(args) : declaredPaths(token, args);
}

const documentPaths = ({ olds, oldInputs, news }: Update): string[] =>
  changesOf(oldInputs, news, olds)
    .filter(change => !change.unknown)
    .map(change => change.path);

const DECLARED = new Map<string, ResourceDeclaration>(
  [gateDeclaration, reminderDeclaration].map(declaration => [declaration.token, declaration]),
);

function declaredPaths(token: string, { olds, oldInputs, news }: Update): string[] {
  const declaration = DECLARED.get(token);
  if (!declaration) return [];
  return propertiesWhere(declaration.inputs, meta => meta.replaces === true).filter(name => {
    const wanted = news[name];
    if (wanted === undefined || isUnknown(wanted)) return false;
    return ![oldInputs[name], olds[name]].some(known => String(known) === String(wanted));
  });
}
