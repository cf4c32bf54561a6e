import type { Policies, PolicyConfigSchema, ResourceValidationPolicy, StackValidationPolicy } from "@pulumi/policy";
import {
  autograph,
  type ClassConfig,
  contractsIn,
  type DomainsConfig,
  foreignSigners,
  isSandboxInProduction,
  kindOf,
  type OriginsConfig,
  type Rule,
  type StagesConfig,
  stackIn,
  withoutEnd,
  withoutStages,
} from "./rules.js";

const texts = (description: string, fallback: string[] = []) =>
  ({ type: "array", items: { type: "string" }, default: fallback, description }) as const;

/** A policy that looks at each contract before it is sent. */
function eachContract<Config extends object>(
  name: string,
  description: string,
  configSchema: PolicyConfigSchema,
  rule: Rule<Config>,
): ResourceValidationPolicy {
  return {
    name,
    description,
    configSchema,
    enforcementLevel: "mandatory",
    validateResource({ type, props, getConfig }, report) {
      for (const contract of contractsIn(type, props))
        for (const wrong of rule(contract, getConfig<Config>())) report(wrong);
    },
  };
}

const signerDomains = eachContract<DomainsConfig>(
  "docsign-signer-domains",
  "Only people of these domains are invited to sign.",
  {
    properties: {
      domains: texts(
        "Domains that may be invited: `example.com` alone, `*.example.com` for those below it. Empty: any.",
      ),
    },
  },
  foreignSigners,
);

const stages = eachContract<StagesConfig>(
  "docsign-stages",
  "Everybody has a stage where several people sign.",
  {
    properties: {
      from: { type: "integer", default: 2, description: "Contracts of so many people or more need stages." },
    },
  },
  withoutStages,
);

const noAutograph = eachContract<ClassConfig>(
  "docsign-no-autograph",
  "Contracts of a class are signed with an advanced signature.",
  { properties: { names: texts("Regular expressions for the names of the contracts in the class. Empty: none.") } },
  autograph,
);

const end = eachContract<ClassConfig>(
  "docsign-end",
  "Contracts of a class say when they end.",
  {
    properties: {
      names: texts(
        'Regular expressions for the names of the contracts in the class; `["."]` is every contract. Empty: none.',
      ),
    },
  },
  withoutEnd,
);

const guarded: ResourceValidationPolicy = {
  name: "docsign-guarded",
  description: "Every contract has `deleteBeforeReplace` or `protect`.",
  enforcementLevel: "mandatory",
  validateResource({ type, opts }, report) {
    if (kindOf(type) !== "Document" || opts.protect || opts.deleteBeforeReplace) return;
    report("Expected the resource option `deleteBeforeReplace` or `protect`, got neither.");
  },
};

const origins: StackValidationPolicy = {
  name: "docsign-no-sandbox-in-production",
  description: "Stacks of production don't send contracts through a sandbox.",
  enforcementLevel: "mandatory",
  configSchema: {
    properties: {
      stacks: texts("Names of the stacks of production; `*` stands for any text.", ["prod", "prod-*", "production"]),
      sandboxes: texts("Hosts of sandboxes; `*` stands for any text.", ["localhost", "127.*", "[::1]", "*sandbox*"]),
    },
  },
  validateStack({ resources, getConfig }, report) {
    const config = getConfig<OriginsConfig>();
    for (const { type, urn, props } of resources) {
      const address =
        type === "pulumi:providers:docsign" ? known(props, "baseUrl") : kindOf(type) && known(props, "service");
      if (!address || !isSandboxInProduction(stackIn(urn), address, config)) continue;
      report(`Expected an address of production in stack ${stackIn(urn)}, got ${address}.`, urn);
    }
  },
};

/** How many each resource of this run invites, by URN: a stack's policy sees outputs alone. */
const invited = new Map<string, number>();

/** Counted at the preview, where a document that will be sent has no id yet; an update that skips the preview isn't stopped. */
const mails: ResourceValidationPolicy & StackValidationPolicy = {
  name: "docsign-mail-limit",
  description: "One update invites no more people than this.",
  enforcementLevel: "mandatory",
  configSchema: {
    properties: {
      people: { type: "integer", default: 50, description: "The most invitations that one update may send." },
    },
  },
  validateResource({ type, urn, props }) {
    if (kindOf(type) === "Document")
      invited.set(urn, contractsIn(type, props).flatMap(({ invitations }) => invitations).length);
  },
  validateStack({ resources, getConfig }, report) {
    const { people } = getConfig<{ people: number }>();
    const sent = resources.filter(
      ({ type, props }) => kindOf(type) === "Document" && known(props, "documentId") === undefined,
    );
    const count = sent.reduce((sum, { urn }) => sum + (invited.get(urn) ?? 0), 0);
    if (count > people) {
      report(`Expected at most ${people} invitations in one update, got ${count} of ${sent.length} documents.`);
    }
  },
};

/** A text that is known; a preview's unknowns throw when they are read. */
function known(props: Readonly<Record<string, unknown>>, name: string): string | undefined {
  try {
    const value = props[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Rules for contracts, for a policy pack of your own:
 *
 * @example
 * ```ts
 * new PolicyPack("contracts", { policies });
 * ```
 */
export const policies: Policies = [signerDomains, stages, noAutograph, end, guarded, origins, mails];
