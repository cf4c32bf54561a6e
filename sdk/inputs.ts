import * as pulumi from "@pulumi/pulumi";
import { DERIVED, dynamicTypeOf, INTERNAL, isAtService, type Kind, PROVIDER, RENAMED, tokenOf } from "./front-end.js";

export type Props = Record<string, pulumi.Input<unknown>>;

/** The program's arguments and what the classes add to them, as the engine gets them. */
export function propsOf(
  kind: Kind,
  name: string,
  args: object,
  outputs: readonly string[],
  options: pulumi.CustomResourceOptions,
): Props {
  const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
  const inputs = given.map(([key, value]) => [key, isPlain(value) ? value : pulumi.output(value)] as const);
  const sent = inputs.map(([key, input], index) => [key, asSent(given[index]?.[1], input)] as const);
  const names = new Map(Object.entries(RENAMED[kind] ?? {}));
  const props: Props = {
    ...Object.fromEntries(outputs.map(output => [output, undefined])),
    ...Object.fromEntries(sent.map(([key, value]) => [names.get(key) ?? key, value])),
    [INTERNAL.provider]: PROVIDER,
    [INTERNAL.key]: resourceKey(kind, name, options.parent),
  };
  if (options.id !== undefined) return { ...props, [INTERNAL.lookup]: true };
  if (pulumi.runtime.isDryRun()) props[INTERNAL.preview] = true;
  if (options.import !== undefined && isAtService(kind)) props[INTERNAL.import] = options.import;
  if (kind === "SignatureGate" && options.customTimeouts) props[INTERNAL.timeouts] = { ...options.customTimeouts };
  const outputsGiven = inputs.filter((entry): entry is [string, pulumi.Output<unknown>] =>
    pulumi.Output.isInstance(entry[1]),
  );
  if (outputsGiven.length > 0) Object.assign(props, secrecyOf(outputsGiven, DERIVED[kind]));
  return props;
}

/** Nothing inside has to be waited for, and nothing is secret. */
function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return typeof value !== "function";
  if (Array.isArray(value)) return value.every(isPlain);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
}

/**
 * In a preview, what the program gave: an output of a list or a map is unknown as soon as anything inside is, and a set whose
 * folder is new couldn't say whom it mails.
 */
function asSent(given: unknown, input: pulumi.Input<unknown>): pulumi.Input<unknown> {
  if (!pulumi.runtime.isDryRun() || !pulumi.Output.isInstance(input) || pulumi.Output.isInstance(given)) return input;
  const { specialSigKey, specialSecretSig } = pulumi.runtime;
  return pulumi
    .isSecret(input)
    .then(isSecret => (isSecret ? { [specialSigKey]: specialSecretSig, value: given } : given));
}

/**
 * The engine hides an output of a dynamic resource where an input of the same name is secret. So what is made of a secret
 * gets such an input: there only if the secret is, and unknown in previews like the output itself.
 */
function secrecyOf(
  inputs: readonly (readonly [string, pulumi.Output<unknown>])[],
  derived: Readonly<Record<string, readonly string[]>>,
): Props {
  const secretNames = Promise.all(
    inputs.map(async ([name, input]) => ((await pulumi.isSecret(input)) ? [name] : [])),
  ).then(names => names.flat());
  const hidden = (): pulumi.Output<unknown> =>
    pulumi.secret(pulumi.runtime.isDryRun() ? (pulumi.unknown as unknown) : []);
  const secretIf = (test: (names: string[]) => boolean) =>
    pulumi.output(secretNames.then(names => (test(names) ? hidden() : undefined)));
  return {
    [INTERNAL.secretInputs]: pulumi.output(secretNames.then(names => (names.length > 0 ? names : undefined))),
    [INTERNAL.given]: secretIf(names => names.length > 0),
    ...Object.fromEntries(
      Object.entries(derived).map(([output, from]) => [
        output,
        secretIf(names => from.some(name => names.includes(name))),
      ]),
    ),
  };
}

/** The options the engine gets. `import` isn't among them: the engine can't import dynamic resources, so creating does. */
export function optionsOf(kind: Kind, options: pulumi.CustomResourceOptions): pulumi.CustomResourceOptions {
  if (options.provider !== undefined) {
    throw new pulumi.RunError(
      "pulumi-docsign: the TypeScript SDK's resources take no `provider`; they use the stack's configuration (docsign:baseUrl, docsign:apiKey). For several accounts in one stack use the plugin: see docs/plugin-and-dynamic-provider.md.",
    );
  }
  const { import: _taken, ...rest } = options;
  return isAtService(kind) ? { ...rest, deleteBeforeReplace: options.deleteBeforeReplace ?? true } : rest;
}

/** Whether this is a resource of that kind, also where the SDK is loaded twice. */
export const isOfKind = (kind: Kind, value: unknown): boolean =>
  pulumi.CustomResource.isInstance(value) && (value as { __pulumiType?: string }).__pulumiType === dynamicTypeOf(kind);

/** An input with a function applied to it; one that is there already stays an ordinary value. */
export function mapped<T, R>(input: pulumi.Input<T> | undefined, map: (value: T) => R): pulumi.Input<R> | undefined {
  if (input === undefined || input === null) return undefined;
  if (pulumi.Output.isInstance(input)) return input.apply(value => map(value as T));
  return input instanceof Promise ? input.then(map) : map(input as T);
}

/** The PDF in base64, from text or bytes. */
export const base64Of = (given: pulumi.Input<string | Uint8Array> | undefined): pulumi.Input<string> | undefined =>
  mapped(given, inBase64);

function inBase64(given: string | Uint8Array): string {
  if (ArrayBuffer.isView(given))
    return Buffer.from(given.buffer, given.byteOffset, given.byteLength).toString("base64");
  // `pulumi.output` and `pulumi.secret` take bytes apart into an object of numbers.
  if (typeof given === "object" && given !== null) return Buffer.from(Object.values<number>(given)).toString("base64");
  return given;
}

/** The URN this resource would have at the plugin: the same name for both front ends, so that they share one journal. */
function resourceKey(kind: Kind, name: string, parent: pulumi.Resource | undefined): pulumi.Input<string> {
  const place = `urn:pulumi:${pulumi.getStack()}::${pulumi.getProject()}::`;
  const own = `${tokenOf(kind)}::${name}`;
  if (parent === undefined) return `${place}${own}`;
  const keyIn = (urn: string) => {
    const parents = urn.split("::")[2] ?? "";
    return parents === "" || parents === "pulumi:pulumi:Stack" ? `${place}${own}` : `${place}${parents}$${own}`;
  };
  // A promise: an output would depend on the component, and so on all of its children, which would wait for one another.
  return new Promise(resolve => parent.urn.apply(urn => resolve(keyIn(urn))));
}

/** A resource's outputs by name. One that the declaration has and this list or the class lacks, or has of another type, doesn't compile. */
export const outputNames = <Outputs, Class extends { [Name in keyof Outputs]-?: pulumi.Output<Outputs[Name]> }>(
  names: Record<keyof Outputs & keyof Class, true>,
): readonly string[] => Object.keys(names);

/**
 * Pulumi's SDK notes a stack trace for each of four promises of each property: most of the time that a hundred documents
 * take to construct. One line of it is enough to find an error by, and a tenth of the cost. The answer puts things back.
 * Each class does it itself: Pulumi takes the caller of the constructor below CustomResource's for where the program is.
 */
export function briefTraces(): () => void {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = Math.min(limit, 1);
  return () => {
    Error.stackTraceLimit = limit;
  };
}
