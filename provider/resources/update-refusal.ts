import { ReplacementError } from "../../kit/resource.js";
import type { Values } from "../../kit/values.js";
import { documentDeclaration, inputsIn, stateIn } from "./document/declaration.js";
import { changesOf } from "./document/state.js";
import { type Resource, UserError } from "./resource.js";

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

/** Of a document, which the kit doesn't compare. */
function replacingPaths(token: string, { olds, oldInputs, news }: Update): string[] {
  // Engines from before Handshake send no old inputs, and nothing can be compared.
  if (token !== documentDeclaration.token || Object.keys(oldInputs).length === 0) return [];
  return changesOf(inputsIn(oldInputs), inputsIn(news), stateIn(olds))
    .filter(change => !change.unknown)
    .map(change => change.path);
}
