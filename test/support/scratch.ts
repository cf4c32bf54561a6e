import { accessSync, constants, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOM = 256 * 1024 * 1024;

/**
 * A folder that ends with the machine: every write of the journal waits for the disk, and a test that plays a crash
 * copies files instead of pulling a plug. In memory that wait is nothing.
 */
export const scratchFolder = (prefix: string): string => mkdtempSync(join(place, prefix));

const place = inMemory("/dev/shm") ?? tmpdir();

function inMemory(path: string): string | undefined {
  try {
    accessSync(path, constants.W_OK);
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize > ROOM ? path : undefined;
  } catch {
    return undefined;
  }
}
