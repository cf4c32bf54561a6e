// Which version comes next, and whether it is enough for what changed.
import { Refusal } from "./refusal.mjs";

const BUMPS = ["major", "minor", "patch"];
const numbers = version => version.split(".").map(Number);
const before = (a, b) => {
  const [x, y] = [numbers(a), numbers(b)];
  const at = x.findIndex((part, i) => part !== y[i]);
  return at >= 0 && x[at] < y[at];
};

function bumped(version, bump) {
  const at = BUMPS.indexOf(bump);
  return numbers(version)
    .map((part, i) => (i < at ? part : i === at ? part + 1 : 0))
    .join(".");
}

/** The version `wanted` names, given the one in package.json and whether that one is out already. */
export function nextVersion(current, wanted, isOut) {
  if (wanted === undefined) throw new Refusal(`which release? say ${BUMPS.join(", ")}, or a version such as 1.2.3`);
  const next = BUMPS.includes(wanted) ? bumped(current, wanted) : wanted;
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(next))
    throw new Refusal(`"${wanted}" is no version: say ${BUMPS.join(", ")}, or three numbers such as 1.2.3`);
  if (before(next, current)) throw new Refusal(`${next} is lower than the version in package.json, ${current}`);
  if (next === current && isOut) throw new Refusal(`${next} is out already; the next one is higher`);
  return next;
}

/** Semantic versioning: until 1.0.0 what breaks needs a new minor, and the rest a new patch. */
const NEEDS = { breaking: ["minor", "major"], feature: ["patch", "minor"], fix: ["patch", "patch"] };

/** Refuses a version that promises less change than the fragments tell of. */
export function assertEnough(current, next, fragments) {
  // The first of all releases follows nothing.
  if (next === current) return;
  for (const { file, kind } of fragments) {
    const bump = NEEDS[kind][current.startsWith("0.") ? 0 : 1];
    const least = bumped(current, bump);
    if (before(next, least))
      throw new Refusal(`changes/${file} needs ${least} or higher after ${current}; ${next} is not enough for it`);
  }
}
