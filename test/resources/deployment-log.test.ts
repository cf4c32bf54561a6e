import { appendFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DeploymentLog } from "../../provider/resources/journal/deployment-log.js";
import { scratchFolder } from "../support/scratch.js";

const URN = "urn:pulumi:dev::contracts::docsign:index:Document::nda";
const KNOWN = { supersedes: [], service: "https://sign.example.com" };

/** Two provider processes of one deployment. */
function twoProcesses() {
  const folder = scratchFolder("docsign-deployment-log-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = (pid: number) => new DeploymentLog(folder, "127.0.0.1:40000", pid, () => true);
  return { folder, one: open(1), other: open(2) };
}

test("what one process notes of a resource, the other reads", () => {
  const { one, other } = twoProcesses();
  one.checked(URN, true, ["name:1"]);
  one.diffed(URN, "7", "replace", KNOWN);
  other.deleted(URN, "7", KNOWN);
  one.created(URN, "8");
  const whole = {
    lastCheckHadOlds: true,
    everCheckedWithOlds: true,
    diffed: { "7": { ...KNOWN, answer: "replace" } },
    deleted: { "7": KNOWN },
    created: ["8"],
    features: ["name:1"],
    urn: URN,
  };
  expect([one.page(URN), other.page(URN)]).toEqual([whole, whole]);
});

test("a note that was cut off takes neither the one before nor the one after with it", () => {
  const { folder, one, other } = twoProcesses();
  one.checked(URN, true);
  one.checked(URN, false);
  const before = one.page(URN);
  const [page = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(name =>
    name.endsWith(".jsonl"),
  );
  appendFileSync(join(folder, page), '\n{"lastCheckHadOlds":true,"ever');
  expect(other.page(URN)).toEqual(before);
  other.deleted(URN, "7", KNOWN);
  expect(one.page(URN)).toEqual({ ...before, deleted: { "7": KNOWN } });
});
