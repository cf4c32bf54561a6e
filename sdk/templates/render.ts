import { type Clause, clausesOf } from "./clauses.js";
import { checkContract, fontProblems, printContract, readContract } from "./contract.js";
import { Faces } from "./faces.js";
import { fillForm, openForm } from "./form.js";
import { namesIn } from "./language/names.js";
import { refuse, TemplateProblemsError } from "./problems.js";
import type { RenderRequest, Source } from "./source.js";
import { normalized, textsIn, type Variables, valueProblems } from "./variables.js";

export type { RenderRequest } from "./source.js";

export interface RenderedPdf {
  readonly pdf: Uint8Array;
  readonly pages: number;
}

/** Problems are an answer and not an exception: the renderer is a bundle of its own, with classes of its own. */
type OrProblems<T> = T | { readonly problems: readonly string[] };
export type RenderAnswer = OrProblems<RenderedPdf>;

/** Makes a PDF: the same bytes for the same request, on every machine and day. */
export const render = (request: RenderRequest): Promise<RenderAnswer> =>
  orProblems(async () => {
    const variables = checkedValues(request);
    const { source } = request;
    const faces = facesFor(request, variables);
    if (source.kind === "form") return fillForm(faces, source.bytes, fieldTexts(variables));
    return printContract(faces, source, variables, request);
  });

/**
 * What is wrong with a request, as far as that can be known before anything is laid out. `unknown` are names of variables
 * whose values come later.
 */
export async function problemsOf(request: RenderRequest, unknown: readonly string[]): Promise<readonly string[]> {
  const answered = await orProblems(async () => {
    const variables = new Map([...checkedValues(request), ...unknown.map(name => [name, ""] as const)]);
    const { source } = request;
    const faces = facesFor(request, variables);
    if (source.kind === "form") refuse((await openForm(source.bytes)).problems(fieldTexts(variables), unknown));
    else checkContract(faces, source, variables, new Set(unknown), request.pageSize);
    return {};
  });
  return "problems" in answered ? answered.problems : [];
}

/** What a contract says, clause by clause; of a form, what its fields say. */
export const printedText = (request: RenderRequest): Promise<OrProblems<{ readonly clauses: readonly Clause[] }>> =>
  orProblems(async () => {
    const variables = checkedValues(request);
    const { source } = request;
    const faces = facesFor(request, variables);
    if (source.kind === "markdown") return { clauses: clausesOf(readContract(faces, source, variables)) };
    const fields = [...fieldTexts(variables)].sort(byName);
    return { clauses: fields.map(([title, text]) => ({ title, lines: text.split("\n") })) };
  });

/** The variables that a template asks for. */
export const variableNames = (source: Source): Promise<OrProblems<{ readonly names: readonly string[] }>> =>
  orProblems(async () => ({
    names: source.kind === "form" ? (await openForm(source.bytes)).names : namesIn(source),
  }));

function facesFor({ fonts }: RenderRequest, variables: Variables): Faces {
  const faces = new Faces(fonts);
  const texts = textsIn(variables).map(([, text]) => text);
  refuse(fontProblems(faces, texts.join(""), variables));
  return faces;
}

async function orProblems<T>(work: () => Promise<T>): Promise<OrProblems<T>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TemplateProblemsError) return { problems: error.problems };
    throw error;
  }
}

function checkedValues({ variables, pageSize }: RenderRequest): Variables {
  if (pageSize !== "A4" && pageSize !== "Letter")
    throw new TemplateProblemsError(['pageSize: expected "A4" or "Letter"']);
  refuse(valueProblems(variables));
  return normalized(variables);
}

/** What a form's fields take. */
function fieldTexts(variables: Variables): ReadonlyMap<string, string> {
  const others = [...variables].filter(([, value]) => typeof value !== "string");
  refuse(others.map(([name]) => `variable ${name}: expected text for a field of the form, got something else`));
  return variables as ReadonlyMap<string, string>;
}

const byName = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;
