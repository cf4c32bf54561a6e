import { nearest } from "../../kit/text.js";
import type { Settings } from "../settings.js";
import { type Point, points } from "./points.js";

type Points = typeof points;
export type PointName = keyof Points;

/** How a service answers open points of the interface; those left out are answered as the sandbox does by itself. */
export type Dialect = { readonly [P in PointName]?: keyof Points[P]["answers"] };

const table: Readonly<Record<string, Point>> = points;

/** Wrong points or answers are an error that names the possible ones. */
export function dialectFrom(given: Readonly<Record<string, string | number>>): Dialect {
  for (const [name, answer] of Object.entries(given)) {
    const point = Object.hasOwn(table, name) ? table[name] : undefined;
    if (!point) throw new RangeError(`expected ${oneOf(Object.keys(table), name)}, got ${JSON.stringify(name)}`);
    const answers = answersOf(point);
    if (!answers.includes(String(answer)))
      throw new RangeError(`${name}: expected ${oneOf(answers, String(answer))}, got ${JSON.stringify(answer)}`);
  }
  return given as Dialect;
}

/** `paging=5,order=asc`; `seed=7` draws a dialect, and what stands beside it wins. */
export function parseDialect(text: string): Dialect {
  const pairs = text.split(",").map(pair => pair.split(/=(.*)/s).map(part => part.trim()));
  const broken = pairs.find(([name, answer]) => !name || !answer);
  if (broken) throw new RangeError(`expected point=answer, got ${JSON.stringify(broken.join("="))}`);
  const { seed, ...given } = Object.fromEntries(pairs);
  if (seed === undefined) return dialectFrom(given);
  if (!/^\d{1,9}$/.test(seed)) throw new RangeError(`seed: expected a number, got ${JSON.stringify(seed)}`);
  return { ...randomDialect(Number(seed)), ...dialectFrom(given) };
}

/** About every third point, the same ones for the same seed. */
export function randomDialect(seed: number): Dialect {
  const pairs = Object.entries(table).flatMap(([name, point], nth) => {
    const others = answersOf(point).slice(1);
    const number = scattered(seed * 1_000 + nth);
    const answer = others[Math.floor(number / 3) % others.length];
    return number % 3 === 0 && answer !== undefined ? [[name, answer]] : [];
  });
  return dialectFrom(Object.fromEntries(pairs));
}

export function settingsOf(dialect: Dialect): Partial<Settings> {
  return Object.assign({}, ...Object.entries(dialect).map(([name, answer]) => table[name]?.answers[String(answer)]));
}

export const dialectText = (dialect: Dialect): string =>
  Object.entries(dialect)
    .map(([name, answer]) => `${name}=${answer}`)
    .join(",");

/** For the help: each point with its answers. */
export const describedPoints = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(table).map(([name, point]) => [name, `${point.about}: ${answersOf(point).join(", ")}`]),
  );

/** The sandbox's own answer first. */
function answersOf({ answers }: Point): string[] {
  const isOwn = (name: string) => Object.keys(answers[name] ?? {}).length === 0;
  return Object.keys(answers).sort((one, other) => Number(isOwn(other)) - Number(isOwn(one)));
}

function oneOf(names: readonly string[], given: string): string {
  const meant = given.length > 3 ? nearest(given, names) : undefined;
  return `one of ${names.join(", ")}${meant === undefined ? "" : ` (${meant}?)`}`;
}

/** A number that looks like chance, and is the same on every machine. */
function scattered(seed: number): number {
  let mixed = Math.imul(seed ^ (seed >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
