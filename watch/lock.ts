import { readFileSync, rmSync, writeFileSync } from "node:fs";

/** One watcher for a memory: two would ask twice as often, and wake everybody twice. */
export function lock(path: string, pid: number, isAlive: (pid: number) => boolean): Disposable {
  for (let tries = 0; ; tries++) {
    try {
      writeFileSync(path, String(pid), { flag: "wx", mode: 0o600 });
      return { [Symbol.dispose]: () => rmSync(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      const holder = Number(readFileSync(path, "utf8"));
      if (tries > 0 || (holder !== pid && isAlive(holder))) {
        throw new Error(`expected to be the only watcher of its memory, got process ${holder} (${path})`);
      }
      rmSync(path, { force: true });
    }
  }
}
