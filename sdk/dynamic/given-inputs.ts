import { bareRecord, trimmed } from "../../kit/records.js";
import { assetsIn, textsOf } from "../../kit/schema.js";
import { Archive, Asset, isRecord, type Value, type Values } from "../../kit/values.js";
import { sortedJson } from "../../provider/core/same.js";
import { resourceDeclarations } from "../../provider/declarations.js";
import { documentInputs, stateIn } from "../../provider/resources/document/declaration.js";
import { documentSetInputs } from "../../provider/resources/document-set/declaration.js";
import { hashInMark, markOf } from "../../provider/resources/pdf/asset-source.js";
import { type Kind, tokenOf } from "../front-end.js";

/**
 * A dynamic provider's Diff and Read are shown a resource's outputs and not its inputs, so outputs carry what the inputs were. To
 * keep state small that is only what the outputs don't say anyway.
 */
export function givenOf(kind: Kind, inputs: Values, outputs: Values): Values {
  const echoed = echoedInputs(kind, outputs);
  const inputsGiven = compact(kind, inputs);
  const given: Values = bareRecord();
  for (const name of new Set([...Object.keys(echoed), ...Object.keys(inputsGiven)])) {
    if (sortedJson(echoed[name]) !== sortedJson(inputsGiven[name])) given[name] = inputsGiven[name] ?? null;
  }
  return given;
}

/** The inputs a resource had, from its outputs. Messages are left out: nothing compares them. */
export function inputsFrom(kind: Kind, outputs: Values, given: Value | undefined): Values {
  const all = { ...echoedInputs(kind, outputs), ...(isRecord(given) ? given : {}) };
  return withAssets(kind, Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)), toAssets);
}

/** Inputs that are assets, or lists of them: outputs have their marks, as the SDK takes no asset there. */
const ASSETS = new Set([documentInputs, documentSetInputs].flatMap(assetsIn));

/** Inputs with a function applied to each asset among them, also in the rows of a set. */
function withAssets(kind: Kind, inputs: Values, map: (value: Value) => Value): Values {
  const mapped = (values: Values): Values =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, ASSETS.has(name) ? map(value) : value]));
  const own = mapped(inputs);
  if (kind !== "DocumentSet") return own;
  const { documents, defaults } = own;
  const inRow = (row: Value): Value => (isRecord(row) ? mapped(row) : row);
  if (isRecord(defaults)) own["defaults"] = inRow(defaults);
  if (isRecord(documents)) {
    own["documents"] = Object.fromEntries(Object.entries(documents).map(([key, row]) => [key, inRow(row)]));
  }
  return own;
}

function toMarks(value: Value): Value {
  if (Array.isArray(value)) return value.map(toMarks);
  return value instanceof Asset && value.hash !== undefined ? markOf(value.hash) : value;
}

function toAssets(value: Value): Value {
  if (Array.isArray(value)) return value.map(toAssets);
  const hash = hashInMark(value);
  return hash === undefined ? value : new Asset({ hash });
}

/** Texts among the outputs that say what the input of the same name was, by the resource's token. */
const ECHOED = new Map(
  resourceDeclarations.map(({ token, inputs, outputs }) => {
    const said = new Set<string>(textsOf(outputs));
    return [token, textsOf(inputs).filter(each => said.has(each))] as const;
  }),
);

function echoedInputs(kind: Kind, outputs: Values): Values {
  const echoed: Values = bareRecord();
  for (const name of ECHOED.get(tokenOf(kind)) ?? []) {
    const value = outputs[name];
    if (value !== undefined) echoed[name] = value;
  }
  if (kind !== "Document") return echoed;
  const { sha256, signers = [] } = stateIn(outputs);
  if (sha256 !== undefined) echoed["base64File"] = markOf(sha256);
  echoed["invitations"] = signers.map(({ email, name, stage }) => trimmed({ email, name, stage }));
  return echoed;
}

function compact(kind: Kind, inputs: Values): Values {
  const { invitations, ...others } = inputs;
  const compacted = withAssets(kind, others, toMarks);
  // Outputs hold the PDF's hash, which would read as this input.
  if (inputs["file"] instanceof Asset || inputs["template"] instanceof Asset) compacted["base64File"] ??= null;
  const withoutMessage = (person: Value): Value => {
    if (!isRecord(person)) return person;
    const { message: _, ...rest } = person;
    return rest;
  };
  if (invitations !== undefined)
    compacted["invitations"] = Array.isArray(invitations) ? invitations.map(withoutMessage) : invitations;
  const rest = Object.entries(compacted).filter(([, value]) => value !== null);
  return Object.fromEntries(rest.map(([name, value]) => [name, withoutAssets(value)]));
}

/** An asset among a reminder's triggers is its hash: outputs may hold none. */
function withoutAssets(value: Value): Value {
  if (value instanceof Asset || value instanceof Archive) return value.hash === undefined ? {} : { hash: value.hash };
  if (Array.isArray(value)) return value.map(withoutAssets);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withoutAssets(inner)]));
}
