import { expect } from "vitest";
import { statuses } from "../lifecycle/matrix.js";
import {
  base64,
  fillAccount,
  forgetMachine,
  nda,
  newestFirst,
  type Scene,
  type SceneOptions,
  scene,
} from "../lifecycle/scene.js";
import type { Goal, UpOptions } from "../support/simulated-engine.js";
import { CUT } from "./forgotten.js";
import { aliased, deleteFirst, played, sign, up, within } from "./guarded.js";
import { cell, type Row, tableOf } from "./table.js";
import { whoAsks } from "./who-asks.js";

const force = { replace: ["nda"] } as const;
const edited = nda({ inputs: { base64File: base64("two") } });
const renamed = { inputs: { name: "NDA 2" } };
const forceRenamed = { replace: ["contract"] } as const;

const fails =
  (kind: "404" | "403" | "500" | "reset"): SceneOptions["faultFor"] =>
  request =>
    /^\/v1\/documents\/\d+$/.test(request.path) && request.method === "GET"
      ? kind === "reset"
        ? { kind: "reset", when: "before" }
        : { kind: "status", when: "before", status: Number(kind) }
      : undefined;

const unread = (kind: "404" | "403" | "500" | "reset") =>
  [
    "[docsign/replace-unconfirmed]",
    played([nda()], s => {
      s.service.faults.otherwise(fails(kind) ?? (() => undefined));
      return up(s, [edited]);
    }),
  ] as const;

const retained = nda({ retainOnDelete: true });
const other = (s: Scene, name: string): void => {
  s.service.clock.advance(60_000);
  const text = `another ${name}`;
  s.service.people.signAll(
    s.service.people.upload("first", { name, pdf: Buffer.from(text), emails: ["ana@example.com"] }),
  );
};

async function filled(): Promise<Scene> {
  const s = await scene(newestFirst);
  fillAccount(s);
  for (let count = 0; count < 2; count++) expect((await s.stack.up([retained])).error).toBeUndefined();
  return s;
}

/** Signed or not, with the journal and without. */
const decided = (before: Goal, after: Goal, options: UpOptions, what = "") =>
  Object.fromEntries(
    (["unsigned", "signed"] as const).flatMap(status =>
      (["kept", "lost"] as const).map(journal => [
        `${status}, the journal ${journal}${what}`,
        [
          status === "signed" ? "[docsign/replace-signed]" : "replaced",
          played([before], async s => {
            if (status === "signed") sign(s);
            if (journal === "lost") await forgetMachine(s);
            return up(s, [after], { ...options, skipPreview: true });
          }),
        ] as const,
      ]),
    ),
  );

const refused: readonly Row<undefined>[] = [
  [
    "shows it `unsigned`, without a signature",
    cell("replaced", {
      "a changed input": ["replaced", played([nda()], s => up(s, [edited]))],
      "forced, delete first": ["replaced", played([nda(deleteFirst)], s => up(s, [nda(deleteFirst)], force))],
    }),
  ],
  [
    "shows any signature, or any other status",
    cell(
      "`[docsign/replace-signed]`",
      Object.fromEntries(
        Object.entries(statuses)
          .filter(([status]) => status !== "unsigned")
          .map(([status, { become }]) => [
            status,
            [
              "[docsign/replace-signed]",
              played([nda()], s => {
                become(s, s.id());
                return up(s, [edited]);
              }),
            ] as const,
          ]),
      ),
    ),
  ],
  [
    "answers 404 or 403, or can't be reached",
    cell("`[docsign/replace-unconfirmed]`: a document that isn't shown may still exist", {
      "404": unread("404"),
      "403": unread("403"),
      "500": unread("500"),
      reset: unread("reset"),
    }),
  ],
  [
    "shows it `unsigned`, and only the journal names it: a newer document of the same name is signed",
    cell("`[docsign/replace-signed]`", {
      forced: [
        "[docsign/replace-signed]",
        within(filled, async s => {
          other(s, "NDA");
          return up(s, [{ ...retained, inputs: { ...retained.inputs, base64File: base64("two") } }], force);
        }),
      ],
    }),
  ],
  [
    "the same, and its lists can't show whether there is a newer one",
    cell("`[docsign/replace-unknown-predecessor]` in `pulumi up`; a preview doesn't look", {
      forced: [
        "[docsign/replace-unknown-predecessor]",
        played([retained], async s => {
          other(s, "Other");
          expect((await s.stack.preview([retained], force)).error).toBeUndefined();
          return up(s, [retained], { ...force, skipPreview: true });
        }),
      ],
    }),
  ],
];

const known: readonly Row<undefined>[] = [
  [
    "the engine has shown the old document in this run, or deletes it first (`deleteBeforeReplace`)",
    cell("decided by the table above", {
      ...decided(nda(deleteFirst), nda(deleteFirst), force, ", deleted first"),
      ...decided(nda(), nda(), { ...force, refresh: true }, ", shown by a refresh"),
    }),
  ],
  [
    "the journal names a document that the engine has shown in an earlier run, and the new one is exactly like it",
    cell(
      "`[docsign/duplicate]` in `pulumi up`, unless `duplicatePolicy` is `create`: set `deleteBeforeReplace: true`",
      {
        "by default": ["[docsign/duplicate]", played([nda()], s => up(s, [nda()], force))],
      },
    ),
  ],
  [
    "the same, with other content",
    cell("decided by the table above", {
      unsigned: ["replaced", played([nda()], s => up(s, [edited], force))],
      signed: [
        "[docsign/replace-signed]",
        played([nda()], s => {
          sign(s);
          return up(s, [edited], force);
        }),
      ],
    }),
  ],
  [
    "the journal names a document that no run has shown since it was created, with the same content",
    cell("that document is kept and no one is mailed: run `pulumi refresh`, then force it again", {
      forced: [
        "taken over",
        within(scene, async s => {
          await s.stack.up([nda()]);
          s.service.people.signAll(s.id());
          return up(s, [nda()], force);
        }),
      ],
    }),
  ],
  [
    "the same, with other content",
    cell("`[docsign/created-with-other-content]`", {
      forced: [
        "[docsign/created-with-other-content]",
        within(scene, async s => {
          await s.stack.up([nda()]);
          return up(s, [edited], force);
        }),
      ],
    }),
  ],
  [
    "the journal is empty, and the engine says that the resource exists (`replacementTrigger`)",
    cell("`[docsign/replace-unknown-predecessor]`", {
      trigger: [
        "[docsign/replace-unknown-predecessor]",
        played([nda({ replacementTrigger: "1" })], async s => {
          sign(s);
          await forgetMachine(s);
          return up(s, [nda({ replacementTrigger: "2" })]);
        }),
      ],
    }),
  ],
  [
    "the journal is empty (a new machine), and the lists show a document of the same name and people",
    cell(
      "`[docsign/duplicate]`",
      Object.fromEntries(
        Object.entries({ "exactly alike": nda(), "another PDF": edited }).map(([name, program]) => [
          name,
          [
            "[docsign/duplicate]",
            played([nda()], async s => {
              sign(s);
              await forgetMachine(s);
              return up(s, [program], force);
            }),
          ] as const,
        ]),
      ),
    ),
  ],
  [
    "the journal is empty, and the lists show none of its name and people (they have changed too, or the lists are cut)",
    cell("**created: set `deleteBeforeReplace: true`, or [share the journal](journal.md)**", {
      "the name changed": [
        "second document",
        played([nda()], async s => {
          sign(s);
          await forgetMachine(s);
          return up(s, [nda(renamed)], force);
        }),
      ],
      "the lists cut": [
        "second document",
        played(
          [nda()],
          async s => {
            await forgetMachine(s);
            return up(s, [nda()], force);
          },
          CUT,
        ),
      ],
    }),
  ],
  [
    "a resource is renamed by `aliases`, forced and created first, and its document's name changes, in one run",
    cell(
      "**created: set `deleteBeforeReplace: true`, or rename the resource in a run of its own**",
      Object.fromEntries(
        Object.entries(decided(nda(), aliased(renamed), forceRenamed)).map(([name, [, play]]) => [
          name,
          ["second document", play] as const,
        ]),
      ),
    ),
  ],
  [
    "the same, with `deleteBeforeReplace: true`",
    cell(
      "decided by the table above",
      decided(nda(deleteFirst), aliased({ ...renamed, ...deleteFirst }), forceRenamed),
    ),
  ],
];

const guard = (name: string, head: readonly string[], rows: readonly Row<undefined>[]) =>
  tableOf({ page: "replace-guard", name, head, rows, settings: { "": undefined } });

export const replaceGuard = [
  guard("who-asks", ["the replacement comes from", "preview", "`pulumi up`"], whoAsks),
  guard("what-is-refused", ["the service, asked about the old document", "result"], refused),
  guard("forced", ["what the provider knows of a forced replacement", "result"], known),
];
