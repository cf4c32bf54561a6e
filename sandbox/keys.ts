import { sha256 } from "./content.js";

/** Makes keys and tokens that a seed fixes. They are not fit to guard anything real. */
export type MakeKey = (purpose: string, length: number) => string;

export function keysFrom(seed: number): MakeKey {
  return (purpose, length) => sha256(`${seed}/${purpose}`).slice(0, length);
}
