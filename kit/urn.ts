/** The type token in a URN (`urn:pulumi:stack::project::parent$type::name`); empty where there is none. */
export function typeOf(urn: string): string {
  const qualified = urn.split("::")[2] ?? "";
  return qualified.slice(qualified.lastIndexOf("$") + 1);
}
