import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
// Pulumi's SDK brings a parser.
const { load } = createRequire(createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json"))("js-yaml");

const recipe = (name: string) => load(readFileSync(join("docs", "ci", name), "utf8"));
const { preview, comment } = recipe("github-actions.yml").jobs;
const runs = ({ steps }: { steps: { run?: string }[] }) => steps.map(({ run }) => run).filter(Boolean);
/** Written in one job, and posted in another: no step has both keys. */
const github = `${runs(preview).at(-1)}\n${runs(comment).join("\n")}`;
const pipeline = recipe("gitlab-ci.yml");
const gitlab = `${pipeline.preview.after_script[0]}\n${pipeline.comment.script[0]}`;

const OURS = "<!-- docsign-board -->\nfrom before";

/** Runs a recipe's script where every program it calls only notes what it was asked for. */
async function posted(script: string, { comments = "", notes = [] }: { comments?: string; notes?: object[] }) {
  const folder = mkdtempSync(join(tmpdir(), "docsign-comment-"));
  try {
    const program = (name: string, body: string) =>
      writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    program("pulumi", `echo '{"steps":[],"changeSummary":{}}'; exit 1`);
    program("npx", `shift 2; exec "${join(process.cwd(), "bin", "docsign")}" "$@"`);
    program("gh", `case "$*" in *--jq*) printf '%s' '${comments}';; *) echo "gh $*" >> log;; esac`);
    program(
      "curl",
      `case "$*" in */user) echo '{"id":4}';; *per_page*) printf '%s' '${JSON.stringify(notes)}';; *) echo "curl $*" >> log;; esac`,
    );
    await run("bash", ["-e", "-c", script], {
      cwd: folder,
      env: {
        PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin`,
        STACK: "dev",
        COMMENTS: "repos/a/b/issues/1/comments",
        GITHUB_REPOSITORY: "a/b",
        COMMENT_TOKEN: "t",
        CI_API_V4_URL: "https://gitlab.example/api/v4",
        CI_PROJECT_ID: "1",
        CI_MERGE_REQUEST_IID: "2",
        CI_MERGE_REQUEST_DIFF_BASE_SHA: "0123456789abcdef0123456789abcdef01234567",
      },
    });
    expect(readFileSync(join(folder, "comment.md"), "utf8")).toMatch(/^<!-- docsign-board -->\n/);
    return readFileSync(join(folder, "log"), "utf8").trim();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("GitHub: a first comment is posted, and edited from then on, also after a preview that failed", async () => {
  expect(await posted(github, {})).toBe("gh api repos/a/b/issues/1/comments -F body=@comment.md --silent");
  expect(await posted(github, { comments: "77" })).toBe(
    "gh api -X PATCH repos/a/b/issues/comments/77 -F body=@comment.md --silent",
  );
});

test("GitLab: a first note is posted, and edited from then on, and nobody else's is touched", async () => {
  const notes = "https://gitlab.example/api/v4/projects/1/merge_requests/2/notes";
  const note = (id: number, author: number, body: string) => ({ id, author: { id: author }, body });
  expect(await posted(gitlab, { notes: [note(1, 4, "Hello"), note(2, 5, OURS)] })).toMatch(
    new RegExp(`-X POST ${notes}$`),
  );
  expect(await posted(gitlab, { notes: [note(8, 5, OURS), note(9, 4, OURS)] })).toMatch(
    new RegExp(`-X PUT ${notes}/9$`),
  );
});
