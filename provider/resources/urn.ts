const STATELESS = "urn:pulumi:dev::default::";

/**
 * Whether a URN is the one that `pulumi do` without a stack gives to every resource of a type, `urn:pulumi:dev::default::<type>::<Type>`
 * (resourceURN in the CLI's do_shared.go): then it says nothing about which resource is meant. A resource that is called
 * like its type, in a project `default` and its stack `dev`, has the same one.
 */
export function isStatelessUrn(urn: string): boolean {
  if (!urn.startsWith(STATELESS)) return false;
  const [token = "", name, ...rest] = urn.slice(STATELESS.length).split("::");
  const type = token.split(":").at(-1);
  return !token.includes("$") && name === type && type !== "" && rest.length === 0;
}

/**
 * The name under which a create is remembered. A stateless URN is shared by unrelated resources, so what they hold tells
 * them apart: an interrupted create is found again by the same command, and no create replaces another.
 */
export const rememberedUrn = (urn: string, fingerprint: string | undefined): string =>
  isStatelessUrn(urn) && fingerprint !== undefined ? `${urn}::${fingerprint}` : urn;

/** A row's URN is its set's, and its key. */
export const resourceOf = (urn: string): string => urn.replace(/#.*$/s, "");
