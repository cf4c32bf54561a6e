import { UserError } from "../resource.js";

export const unreadable = (path: string): UserError =>
  new UserError(
    [
      "what this machine remembers of this resource can't be read, so it isn't known whether an earlier run created it. Nothing was sent.",
      "Look at the service: if it is there, take it over with `pulumi import`. If it isn't:",
      `  rm '${path}'`,
    ].join("\n"),
  );

/** Without the journal a crash would lead to a second document, so a create needs it. */
export function onDisk<T>(folder: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw troubleOf(error, folder);
  }
}

export function troubleOf(error: unknown, folder: string): unknown {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? unusable(folder, code) : error;
}

const unusable = (folder: string, code: string): UserError =>
  new UserError(
    `the journal in ${folder} can't be written or read (${code}), and without it nothing is created: a crash would mail people twice. Make the folder writable, or set DOCSIGN_STATE_DIR to one that is.`,
  );
