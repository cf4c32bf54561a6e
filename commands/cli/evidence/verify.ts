import { isAbsolute, relative, resolve } from "node:path";
import { counted, grouped, oneLine } from "../../../provider/core/text.js";
import { EvidenceError } from "../../../provider/evidence/types.js";
import { type Verification, verify } from "../../../provider/evidence/verify.js";
import type { CommandIo } from "../commands.js";
import { CommandError } from "../flags/errors.js";
import { writeWhole } from "../whole-file.js";
import { readVerifyFlags } from "./flags.js";
import { verifyHelp } from "./help.js";
import { verifiedPage } from "./page.js";

const MOST_NAMED = 50;

export async function verifyFolder(
  argv: readonly string[],
  io: Pick<CommandIo, "out" | "err" | "cwd">,
): Promise<number> {
  const flags = readVerifyFlags(argv);
  if (flags === "help") {
    io.out(verifyHelp);
    return 0;
  }
  const directory = resolve(io.cwd, flags.directory);
  const page = flags.html === undefined ? undefined : resolve(io.cwd, flags.html);
  if (page !== undefined && isInside(page, directory))
    throw new CommandError(
      `--html: expected a file outside ${flags.directory}, got ${flags.html}: it would be one that nobody pulled`,
    );
  const verified = await verify(directory, flags.sha256).catch((error: unknown) => {
    throw error instanceof EvidenceError ? new CommandError(error.message) : error;
  });
  if (page !== undefined)
    await writeWhole(page, verifiedPage(verified, { at: new Date(), isPinned: flags.sha256 !== undefined }));
  const { findings, documents, sha256 } = verified;
  for (const { path, what } of findings.slice(0, MOST_NAMED)) io.out(`${oneLine(path)}: ${what}\n`);
  if (findings.length > MOST_NAMED) io.out(`and ${grouped(findings.length - MOST_NAMED)} more\n`);
  const files = documents.reduce((sum, each) => sum + each.files, 0);
  const result =
    findings.length === 0 ? "every file is the one that was pulled" : `${counted(findings.length, "thing")} found`;
  io.out(
    `${counted(documents.length, "document")}, ${counted(files, "file")}: ${result}\n${stamps(verified)}sha256 of manifest.json: ${sha256}\n`,
  );
  return findings.length === 0 ? 0 : 1;
}

function stamps({ documents }: Verification): string {
  const proven = documents.filter(({ stamp, unproven }) => stamp && unproven === undefined).length;
  const unproven = documents.filter(each => each.unproven !== undefined).length;
  const incomplete = documents.filter(({ complete }) => !complete).length;
  return [
    `${counted(proven, "time stamp")} ${proven === 1 ? "fits its" : "fit their"} documents; who issued them nobody checked\n`,
    unproven > 0 ? `${counted(unproven, "constancia")} can't be checked\n` : "",
    incomplete > 0 ? `${counted(incomplete, "document")} incomplete: evidence.json says what was missing\n` : "",
  ].join("");
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}
