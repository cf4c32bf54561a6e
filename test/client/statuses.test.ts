import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { meaningOf, type StatusMeaning } from "../../provider/client/errors.js";

const page = readFileSync(join(import.meta.dirname, "../../docs/decisions/answers-not-shown.md"), "utf8");

/** Of what the page says: `400 to 405 and 451`. */
function listed(words: RegExp): number[] {
  const [, said = expect.fail(`the page doesn't say ${words}`)] = words.exec(page) ?? [];
  return [...said.matchAll(/(\d{3})(?: to (\d{3}))?/g)].flatMap(([, first, last = first]) => range(first, last));
}

const range = (first: unknown, last: unknown): number[] =>
  Array.from({ length: Number(last) - Number(first) + 1 }, (_, nth) => Number(first) + nth);

const statuses = (wanted: (meaning: StatusMeaning) => boolean, retryAt?: Date): number[] =>
  range(300, 599).filter(status => wanted(meaningOf(status, retryAt)));

test("the page of what the interface doesn't show lists the statuses as the table has them", () => {
  const no = statuses(({ done, retry }) => done === "no" && retry === "nothing");
  expect(listed(/The status alone decides\. ([^.]*) are a no: nothing was made/)).toEqual(
    no.filter(each => each >= 400),
  );
  expect(listed(/So are ([^.]*?), but where they lead/)).toEqual(no.filter(each => each < 400));
  const later = statuses(({ retry }) => retry === "writes", new Date());
  expect(listed(/made\. ([^.]*), are a no for now/)).toEqual(later);
  expect(statuses(({ retry }) => retry === "writes")).toEqual(later.filter(each => each !== 503));
  const unlikely = statuses(({ done }) => done === "unlikely");
  expect(listed(/other 3xx, ([^.]*) and `ok: false` are a no, too/)).toEqual(unlikely.filter(each => each >= 400));
  expect(unlikely.filter(each => each < 400)).toEqual(range(300, 399).filter(each => !no.includes(each)));
});
