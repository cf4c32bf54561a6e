import * as pulumi from "@pulumi/pulumi";
import { type RenderedTemplate, type RenderTemplateArgs, renderTemplate } from "./render.js";

export type { RenderedTemplate, RenderTemplateArgs } from "./render.js";
export { renderTemplate } from "./render.js";
export { TemplateError } from "./trouble.js";

/** Arguments of {@link renderTemplate}, with outputs of resources among the variables. */
export interface RenderTemplateOutputArgs extends Omit<RenderTemplateArgs, "variables"> {
  /** As for {@link renderTemplate}. */
  variables?: pulumi.Input<Record<string, pulumi.Input<string>>>;
}

/**
 * {@link renderTemplate} with variables that may be outputs of other resources. It is rendered once they are known; made
 * of a secret, the PDF is a secret.
 *
 * @example
 * ```ts
 * const lease = renderTemplateOutput({ template: "contracts/lease.md", variables: { address: site.address } });
 * new docsign.Document("lease", { name: "Lease", base64File: lease.base64, invitations: [{ email: "ana@example.com" }] });
 * ```
 */
export function renderTemplateOutput(args: RenderTemplateOutputArgs): pulumi.Output<RenderedTemplate> {
  const { variables = {}, ...rest } = args;
  return pulumi
    .output(variables)
    .apply(known => renderTemplate({ ...rest, variables: known })) as pulumi.Output<RenderedTemplate>;
}
