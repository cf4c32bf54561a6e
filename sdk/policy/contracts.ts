/** A person in a program's invitations; values as the program gives them. */
export interface Invitation {
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
  if (kind === "Document") return [contractOf(props)];
  if (kind !== "DocumentSet" || !isRecord(props["documents"])) return [];
  const { documents, defaults } = props;
  const shared = isRecord(defaults) ? defaults : {};
  return Object.values(documents)
    .filter(isRecord)
    .map(each => contractOf({ ...shared, ...each }));
}

function contractOf(props: Props): Contract {
  const { name, invitations } = props;
  return {
    name: typeof name === "string" ? name : "",
    invitations: Array.isArray(invitations) ? (invitations as Invitation[]) : [],
    get expiresAt() {
      const { expiresAt } = props;
      return typeof expiresAt === "string" && expiresAt !== "" ? expiresAt : undefined;
    },
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The stack's name in a URN. */
export const stackIn = (urn: string): string => urn.split("::")[0]?.replace("urn:pulumi:", "") ?? "";
