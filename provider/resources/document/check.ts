import { Declared } from "../../../kit/check.js";
import { known } from "../../../kit/values.js";
import { lacksDomain } from "../../schema/types.js";
import { CONTENTS, checkPdf, type PdfSources } from "../pdf/pdf-input.js";
import { emailsOf, type Invitee, invitedTwice, peopleOf } from "../people.js";
import type { Failure, Values } from "../resource.js";
import { termFailures } from "../terms.js";
import { markerIn } from "./content.js";
import { type CheckedInputs, documentInputs } from "./declaration.js";

/* What is wrong with given inputs, before anything is asked. */

/** `checkPdf` makes other values of these. */
const WITHOUT_CONTENTS = Object.fromEntries(CONTENTS.map(name => [name, undefined]));

interface CheckArguments {
  readonly olds: Values | undefined;
  readonly news: Values;
  /** Inputs whose PDF needs no bytes, as a hash of it is enough: those in state by default. */
  readonly pdfInState?: Values | undefined;
  readonly secrets?: ReadonlySet<string> | undefined;
}

/** Inputs as state keeps them, the same by their types, and everything wrong with them at once. Asks the service nothing. */
export async function checkDocument({ olds, news, pdfInState = olds, secrets }: CheckArguments, sources: PdfSources) {
  const pdf = await checkPdf(pdfInState, news, sources, secrets);
  const declared = new Declared(documentInputs, { ...news, ...WITHOUT_CONTENTS, ...pdf.inputs });
  const { inputs, previewed: checked } = declared;
  const people = peopleOf(checked.invitations);
  const failures = [
    // What state has already is the service's own: an import takes whatever the service shows.
    ...declared.problems({ secrets, kept: olds }),
    ...ownMarker(known(checked.description), secrets?.has("description") === true),
    ...termFailures(declared.given, secrets),
    ...pdf.failures,
  ];
  // Only a Check without old inputs comes before a create, and the engine repeats the others.
  const warnings = olds === undefined ? warningsAbout(checked, people, secrets?.has("invitations") === true) : [];
  return { inputs, checked, people, failures, warnings };
}

function warningsAbout({ invitations }: CheckedInputs, people: readonly Invitee[], hidden: boolean): string[] {
  const warnings: string[] = [];
  const twice = invitedTwice(people);
  if (twice > 0)
    warnings.push(
      `${twice === 1 ? "one address is" : `${twice} addresses are`} invited twice in the same stage: the service mails each invitation.`,
    );
  const lacking = emailsOf(invitations).filter(email => email?.includes("@") && lacksDomain(email));
  if (lacking.length > 0) {
    const short = [...new Set(lacking)];
    const which = hidden ? (short.length === 1 ? "one address" : `${short.length} addresses`) : short.join(", ");
    warnings.push(`${which}: expected a domain with a dot in it, such as example.com, got none. It is sent as it is.`);
  }
  return warnings;
}

/** At the end of a description it says which create made the document: one that isn't ours would hide it from us. */
function ownMarker(description: string | undefined, hidden: boolean): Failure[] {
  const marker = markerIn(description ?? null);
  if (marker === undefined) return [];
  const reason = `description: expected one that doesn't end in [docsign:${marker}]: \`docsign:creationMarker\` writes such a mark itself`;
  return [{ property: hidden ? "" : "description", reason, saysProperty: true }];
}
