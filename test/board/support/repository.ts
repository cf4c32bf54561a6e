import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { main } from "../../../commands/board/command.js";
import { scratchFolder } from "../../support/scratch.js";

/** A git repository, and the board in it. */
export function repository() {
  const folder = scratchFolder("docsign-review-");
  const git = (...args: string[]) =>
    execFileSync("git", ["-C", folder, "-c", "user.name=t", "-c", "user.email=t@example.com", ...args], {
      env: { PATH: process.env["PATH"], GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
    });
  git("init", "-q", "-b", "main");
  const at = (name: string) => join(folder, name);
  return {
    folder,
    at,
    write: (name: string, content: string) => {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), content);
    },
    commit: () => {
      git("add", "-A");
      git("commit", "-q", "-m", "more");
    },
    /** What `docsign board` says of a preview. */
    async reviewed(preview: { steps: readonly object[]; diagnostics?: readonly object[] }, ...more: string[]) {
      const said = { out: "", err: "" };
      const code = await main(["--format", "markdown", "--base", "main", ...more], {
        stdin: Readable.from([JSON.stringify({ diagnostics: [], ...preview })]),
        out: text => {
          said.out += text;
        },
        err: text => {
          said.err += text;
        },
        stop: AbortSignal.abort(),
        version: "1.2.3",
        cwd: folder,
      });
      const [, redlines] = said.out.split("### What changes\n");
      return { code, err: said.err, all: said.out, redlines: redlines ?? "" };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
