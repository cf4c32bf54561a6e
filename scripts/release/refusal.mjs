/** Why there is no release now, in words for the person who asked for one; no stack is shown. */
export class Refusal extends Error {
  name = "Refusal";
}
