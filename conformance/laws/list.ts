import { Broken, expect, type ResourceLaw, type ResourceTrial, Skipped } from "../law.js";
import { unknown, type Values, valuesIn } from "../values.js";

export const listLaws: readonly ResourceLaw[] = [
  {
    name: "list-finds-what-exists",
    level: "should",
    claim: "List names what was created, by the id that an import takes.",
    breaks: "`pulumi do … list` leaves it out, or names it by an id that `pulumi import` doesn't take.",
    async run(trial) {
      const query = queryOf(trial);
      const existing = await trial.create();
      const id = trial.importId(existing);
      const ids = await listed(trial, query);
      expect(ids.includes(id), `expected ${id} among what List names, got ${ids.length} others`);
    },
  },
  {
    name: "list-comes-in-pages",
    level: "should",
    claim: "Pages of any size hold the same as the whole list, each resource once, and a limit is kept.",
    breaks: "`pulumi do … list` shows a resource twice or never, or doesn't end.",
    async run(trial, connection) {
      const query = queryOf(trial);
      for (let nth = 0; nth < 2; nth++) await trial.create(connection, trial.program({}, true));
      const whole = await listed(trial, query);
      expect(whole.length > 1, `expected two resources in the list, got ${whole.length}`);
      expect(new Set(whole).size === whole.length, "expected each resource once in the list, got one twice");
      const paged = await listed(trial, query, Math.ceil(whole.length / 3));
      expect(
        paged.length === whole.length && paged.every(id => whole.includes(id)),
        `expected the same ${whole.length} resources in pages, got ${paged.length}`,
      );
      const { found } = await connection.list(trial.token, query, { limit: 1 });
      expect(found.length === 1, `expected one resource with a limit of 1, got ${found.length}`);
    },
  },
  {
    name: "list-takes-unknowns",
    level: "should",
    claim: "A query that isn't known yet is answered as computed, and nothing is listed.",
    breaks: "A program that lists by another resource's output is previewed with what it doesn't ask for.",
    async run(trial, connection) {
      const query = queryOf(trial);
      const [key] = Object.keys(trial.resource.listInputs?.properties ?? {});
      if (key === undefined) throw new Skipped("its schema has no listInputs");
      const { computed, found } = await connection.list(trial.token, new Map([...query, [key, unknown]]));
      expect(computed, `expected List to answer computed while ${key} isn't known, got ${found.length} resources`);
      expect(found.length === 0, `expected no resources beside it, got ${found.length}`);
    },
  },
];

function queryOf(trial: ResourceTrial): Values {
  if (trial.engine === "oldest") throw new Skipped("this engine has no List");
  if (!trial.fixture.list) throw new Skipped("the fixture has no `list`");
  return valuesIn(trial.fixture.list);
}

/** More pages than a list has that ends. */
const ENDLESS = 1000;

async function listed(trial: ResourceTrial, query: Values, pageSize = 0): Promise<string[]> {
  const connection = await trial.connect();
  const ids: string[] = [];
  let next = "";
  for (let pages = 0; pages < ENDLESS; pages++) {
    const page = await connection.list(trial.token, query, { pageSize, next });
    ids.push(...page.found.map(({ id }) => id));
    next = page.next;
    if (next === "") return ids;
  }
  throw new Broken(`expected the list to end, got ${ENDLESS} pages`);
}
