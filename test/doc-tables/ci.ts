import { expect } from "vitest";
import { FRONT_ENDS, type FrontEnd, Stage, type StageOptions } from "../faults/support/front-ends.js";
import { nda } from "../lifecycle/scene.js";
import { up } from "./commands.js";
import { CUT, LATE } from "./forgotten.js";
import { newPlace } from "./places.js";
import { type Cell, cell, type Ending, type Row, tableOf } from "./table.js";

type Env = Readonly<Record<string, string>>;

/** A job is killed once the service has made the document, and the next one runs on another machine. */
const killedJob =
  (env: () => Promise<Env>, options: StageOptions = {}) =>
  async (frontEnd: FrontEnd): Promise<Ending> => {
    await using stage = await Stage.open(frontEnd, { ...options, env: await env() });
    await stage.killed([nda()]);
    stage.moveOn();
    return await up(stage, [nda()]);
  };

const beside = (kind: "postgres" | "s3") => async (): Promise<Env> => ({ PULUMI_BACKEND_URL: await newPlace(kind) });
const elsewhere = (backend?: string) => async (): Promise<Env> => ({
  ...(backend !== undefined && { PULUMI_BACKEND_URL: backend }),
  DOCSIGN_JOURNAL: await newPlace("s3"),
});
const only = (backend?: string) => async (): Promise<Env> =>
  backend === undefined ? {} : { PULUMI_BACKEND_URL: backend };

const BACKENDS = {
  "Pulumi Cloud": "https://api.pulumi.com",
  Azure: "azblob://state",
  Google: "gs://state",
  "a file": "file:///state",
};

/** A run whose journal is kept in each of these ways. */
const kept = (ways: Readonly<Record<string, () => Promise<Env>>>): Cell<FrontEnd> =>
  cell("takes over what was sent; what the service doesn't show isn't sent again: `[docsign/create-unconfirmed]`", {
    ...Object.fromEntries(
      Object.entries(ways).flatMap(([name, env]) => [
        [name, ["taken over", killedJob(env)] as const],
        [`${name}, lists cut`, ["[docsign/create-unconfirmed]", killedJob(env, CUT)] as const],
      ]),
    ),
  });

async function refusedWithoutConditions(frontEnd: FrontEnd): Promise<Ending> {
  const env = { PULUMI_BACKEND_URL: await newPlace("s3", { conditions: false }) };
  await using stage = await Stage.open(frontEnd, { env });
  expect((await stage.up([nda()])).error).toContain("expected a service that keeps If-None-Match and If-Match");
  return await up(stage, [nda()]);
}

const rows: readonly Row<FrontEnd>[] = [
  [
    "Postgres, with `PULUMI_BACKEND_URL` set to it",
    "is kept in the same database",
    kept({ killed: beside("postgres") }),
  ],
  [
    "S3, with `PULUMI_BACKEND_URL` set to it",
    cell(
      "is kept in the same bucket; if the service ignores conditional writes (AWS doesn't), each create is an error",
      {
        "conditions ignored": ["an error", refusedWithoutConditions],
      },
    ),
    kept({ killed: beside("s3") }),
  ],
  [
    "Pulumi Cloud, Azure, Google or a file",
    "needs a place: set `DOCSIGN_JOURNAL` to `postgres://…` or `s3://…`, as a secret",
    kept(Object.fromEntries(Object.entries(BACKENDS).map(([name, backend]) => [name, elsewhere(backend)]))),
  ],
  [
    "any of these, with `pulumi login` instead of the variable",
    "the provider doesn't see the backend: set `DOCSIGN_JOURNAL`",
    kept({ killed: elsewhere() }),
  ],
  [
    "any, without a journal that is kept",
    "is lost with the runner",
    cell(
      "refuses each document that the service's lists show exactly alike: `[docsign/duplicate]`; **sends again what they don't show**",
      {
        ...Object.fromEntries(
          Object.entries(BACKENDS).map(([name, url]) => [name, ["[docsign/duplicate]", killedJob(only(url))] as const]),
        ),
        login: ["[docsign/duplicate]", killedJob(only())],
        "lists cut": ["second document", killedJob(only(), CUT)],
        "lists late": ["second document", killedJob(only(), LATE)],
      },
    ),
  ],
];

export const ci = tableOf({
  page: "ci",
  name: "killed-jobs",
  head: ["the stack's state is kept in", "the journal", "a killed job's next run"],
  rows,
  settings: Object.fromEntries(FRONT_ENDS.map(frontEnd => [frontEnd, frontEnd])),
});
