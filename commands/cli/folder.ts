import { makeFolder as make } from "../../provider/core/private-folder.js";
import { unwritable } from "./flags.js";

/** Makes a folder that a person names, with those above it. */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    make(path, mode);
  } catch (error) {
    throw unwritable(path, error);
  }
}
