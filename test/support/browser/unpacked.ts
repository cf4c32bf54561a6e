import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { withLock } from "../../../scripts/setup/lock.mjs";

/**
 * A program that its package unpacks where it isn't there: by one process at a time, and again where a process was killed
 * meanwhile. Nobody is to start what another still writes.
 */
export function unpackedOnce(program: string, unpack: () => Promise<string>): Promise<string> {
  const sizeOf = () => String(statSync(program, { throwIfNoEntry: false })?.size);
  const notes = `${program}.size`;
  const isWhole = () => existsSync(notes) && readFileSync(notes, "utf8") === sizeOf();
  return withLock(program, async () => {
    if (isWhole()) return program;
    rmSync(program, { force: true });
    const unpacked = await unpack();
    writeFileSync(notes, sizeOf());
    return unpacked;
  });
}
