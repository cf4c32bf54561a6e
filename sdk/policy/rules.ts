/** What is wrong with a contract: one sentence each, empty where all is right. */
export type Rule<Config> = (contract: Contract, config: Config) => string[];

export interface DomainsConfig {
  readonly domains: readonly string[];
}

/** `example.com` allows that domain alone, `*.example.com` those below it. No list allows everybody. */
export const foreignSigners: Rule<DomainsConfig> = ({ name, invitations }, { domains }) => {
  if (domains.length === 0) return [];
  return invitations
    .filter(({ email = "" }) => !domains.some(domain => isIn(email, domain)))
    .map(({ email = "" }) => `"${name}": expected signers of ${domains.join(", ")}, got ${email}.`);
};

function isIn(email: string, domain: string): boolean {
  const host = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  const wanted = domain.toLowerCase();
  return wanted.startsWith("*.") ? host.endsWith(wanted.slice(1)) : host === wanted;
}

export interface StagesConfig {
  /** Contracts of fewer people need no order. */
  readonly from: number;
}

export const withoutStages: Rule<StagesConfig> = ({ name, invitations }, { from }) => {
  const without =
    invitations.length < from ? [] : invitations.filter(({ stage }) => stage === undefined || stage === null);
  return without.length === 0 ? [] : [`"${name}": expected a stage for everybody, got none for ${emails(without)}.`];
};

export interface ClassConfig {
  /** Regular expressions; a contract is of the class when one matches its name. */
  readonly names: readonly string[];
}

const isInClass = ({ name }: Contract, { names }: ClassConfig): boolean =>
  names.some(pattern => new RegExp(pattern, "i").test(name));

/** Where nothing is said the service allows autograph signatures too. */
export const autograph: Rule<ClassConfig> = (contract, config) => {
  const { name, invitations } = contract;
  if (!isInClass(contract, config)) return [];
  const allowed = invitations.filter(each => each.allowedSignatureTypes !== "advanced");
  if (allowed.length === 0) return [];
  return [`"${name}": expected \`allowedSignatureTypes: advanced\` for everybody, got another for ${emails(allowed)}.`];
};

export const withoutEnd: Rule<ClassConfig> = (contract, config) =>
  isInClass(contract, config) && contract.expiresAt === undefined
    ? [`"${contract.name}": expected \`expiresAt\`, the contract's last day, got none.`]
    : [];

const emails = (invitations: readonly Invitation[]): string => invitations.map(({ email }) => email ?? "?").join(", ");

export interface OriginsConfig {
  /** Names of stacks; `*` stands for any text. */
  readonly stacks: readonly string[];
  /** Hosts; `*` stands for any text. */
  readonly sandboxes: readonly string[];
}

/** Whether this stack may not use this address. */
export function isSandboxInProduction(stack: string, address: string, { stacks, sandboxes }: OriginsConfig): boolean {
  if (!stacks.some(pattern => fits(stack, pattern))) return false;
  const host = URL.parse(address)?.hostname ?? "";
  return sandboxes.some(pattern => fits(host, pattern));
}

function fits(text: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  let left = text.toLowerCase();
  if (!left.startsWith(first)) return false;
  left = left.slice(first.length);
  if (rest.length === 0) return left === "";
  const last = rest.pop() ?? "";
  for (const part of rest) {
    const at = left.indexOf(part);
    if (at < 0) return false;
    left = left.slice(at + part.length);
  }
  return left.endsWith(last);
}

// ---- Contracts ----

/** A person in a program's invitations; values as the program gives them. */
interface Invitation {
  readonly email?: string;
  readonly stage?: number;
  readonly allowedSignatureTypes?: string;
}

/** What is sent out to be signed: a Document, or one of a DocumentSet. */
export interface Contract {
  readonly name: string;
  readonly invitations: readonly Invitation[];
  /** Its last day. A preview's unknown throws where it is read: for the rule that asks, and for no other. */
  readonly expiresAt?: string | undefined;
}

type Props = Readonly<Record<string, unknown>>;

/** The plugin's types, and the dynamic providers'. */
const OURS = /^(?:docsign:index:|pulumi-nodejs:dynamic\/docsign:)(\w+)$/;

/** `Document` for either of its types; undefined for what isn't ours. */
export const kindOf = (type: string): string | undefined => OURS.exec(type)?.[1];

/** What a resource sends out, off its inputs. The rows of a set's `table` are in a file, which no policy sees. */
export function contractsIn(type: string, props: Props): Contract[] {
  const kind = kindOf(type);
  if (kind === "Document") return [contractOf(name => props[name])];
  // The dynamic provider has another name for a set's rows.
  const documents = kind === "DocumentSet" && props[type.startsWith("docsign:") ? "documents" : "documentRows"];
  if (!isRecord(documents)) return [];
  const { defaults } = props;
  const shared = isRecord(defaults) ? defaults : {};
  return Object.values(documents)
    .filter(isRecord)
    .map(each => contractOf(name => (Object.hasOwn(each, name) ? each : shared)[name]));
}

/** `read`: an input by its name. What isn't known yet and isn't asked for is left alone. */
function contractOf(read: (name: string) => unknown): Contract {
  const [name, invitations] = [read("name"), read("invitations")];
  return {
    name: typeof name === "string" ? name : "",
    invitations: Array.isArray(invitations) ? (invitations as Invitation[]) : [],
    get expiresAt() {
      const expiresAt = read("expiresAt");
      return typeof expiresAt === "string" && expiresAt !== "" ? expiresAt : undefined;
    },
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The stack's name in a URN. */
export const stackIn = (urn: string): string => urn.split("::")[0]?.replace("urn:pulumi:", "") ?? "";
