import { UserError } from "../resource.js";

export const unreadable = (path: string): UserError =>
  new UserError(
    [
      "what this machine remembers of this resource can't be read, so it isn't known whether an earlier run created it. Nothing was sent.",
      "Look at the service: if it is there, take it over with `pulumi import`. If it isn't:",
      `  rm '${path}'`,
    ].join("\n"),
  );

export const unusable = (folder: string, code: string): UserError =>
  new UserError(
    `the journal in ${folder} can't be written or read (${code}), and without it nothing is created: a crash would mail people twice. Make the folder writable, or set DOCSIGN_STATE_DIR to one that is.`,
  );
