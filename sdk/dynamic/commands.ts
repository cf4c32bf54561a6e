import { commonCommand, quoted, type RenderRemedy } from "../../provider/resources/refusal.js";

/** Remedies for a dynamic resource: the engine can't import one, so `import` is a resource option. */
export function dynamicCommands(urn: string): RenderRemedy {
  return remedy => {
    switch (remedy.kind) {
      case "import":
        return `keep it: set the resource option import: "${remedy.id}" and run pulumi up`;
      case "untaint":
        return `if it was tainted: pulumi state untaint ${quoted(urn)}`;
      case "state-delete":
        return `to let go of it: pulumi state delete ${quoted(urn)}`;
      default:
        return commonCommand(remedy);
    }
  };
}
