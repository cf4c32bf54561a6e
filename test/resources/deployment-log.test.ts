import { appendFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isAlive, startOf } from "../../provider/processes.js";
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
  const whole = { kind: "replacement", exists: true, inState: [{ ...KNOWN, id: "7" }] };
  expect([one.situationOf(URN), other.situationOf(URN)]).toEqual([whole, whole]);
  expect([one, other].map(log => log.situationOfDelete(URN, "8"))).toEqual([{ kind: "kept" }, { kind: "kept" }]);
});

test("a deployment doesn't go on with one before it whose process had the same number, as in containers", () => {
  const folder = scratchFolder("docsign-deployment-log-");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = (start: typeof startOf) => new DeploymentLog(folder, "127.0.0.1:40000", process.pid, isAlive, start);
  const before = open(() => "1");
  before.checked(URN, true);
  before.diffed(URN, "7", "none", KNOWN);
  const after = open(startOf);
  expect(after.situationOf(URN)).toEqual({ kind: "new", exists: false, inState: [] });
  expect(after.run).not.toBe(before.run);
  // Another process of the same deployment is at home there.
  after.checked(URN, true);
  const beside = new DeploymentLog(folder, "127.0.0.1:40000", process.ppid, isAlive, startOf);
  expect([beside.run, beside.situationOf(URN).kind]).toEqual([after.run, "exists"]);
});

test("a note that was cut off takes neither the one before nor the one after with it", () => {
  const { folder, one, other } = twoProcesses();
  one.checked(URN, true);
  one.checked(URN, false);
  const before = one.situationOf(URN);
  const [page = ""] = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(name =>
    name.endsWith(".jsonl"),
  );
  appendFileSync(join(folder, page), '\n{"lastCheckHadOlds":true,"ever');
  expect(other.situationOf(URN)).toEqual(before);
  expect(other.situationOfDelete(URN, "7")).toEqual({ kind: "first-half" });
  other.deleted(URN, "7", KNOWN);
  expect(one.situationOf(URN)).toEqual({ kind: "replacement", exists: true, inState: [{ ...KNOWN, id: "7" }] });
});

test("each thing that the engine may be doing has a name", () => {
  const create = (before: (log: DeploymentLog) => void) => {
    const log = new DeploymentLog("/nowhere", undefined, 0, () => true);
    before(log);
    return log.situationOf(URN).kind;
  };
  expect(create(log => log.checked(URN, false))).toBe("new");
  expect(create(log => log.checked(URN, true))).toBe("exists");
  const replaces = (log: DeploymentLog) => {
    log.checked(URN, true);
    log.diffed(URN, "7", "replace", KNOWN);
    log.checked(URN, false);
  };
  expect(create(replaces)).toBe("replacement");
  const isSame = (log: DeploymentLog) => {
    log.checked(URN, true);
    log.diffed(URN, "7", "none", KNOWN);
    log.checked(URN, false);
  };
  expect(create(isSame)).toBe("still-wanted");

  const remove = (before: (log: DeploymentLog) => void) => {
    const log = new DeploymentLog("/nowhere", undefined, 0, () => true);
    before(log);
    return log.situationOfDelete(URN, "7").kind;
  };
  expect(remove(() => undefined)).toBe("removed");
  expect(remove(replaces)).toBe("first-half");
  expect(remove(log => log.checked(URN.replace("nda", "lease"), false))).toBe("renamed");
  const takesItself = (log: DeploymentLog) => {
    replaces(log);
    log.created(URN, "7");
  };
  expect(remove(takesItself)).toBe("kept");
  const hasAnother = (log: DeploymentLog) => {
    replaces(log);
    log.created(URN, "8");
  };
  expect(remove(hasAnother)).toBe("removed");
});
