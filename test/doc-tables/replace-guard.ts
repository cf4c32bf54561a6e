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

const rows: readonly Row<undefined>[] = [
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
    "forced, and the engine shows the old document in this run: by a refresh, or as `deleteBeforeReplace` is set",
    cell("decided by the rows above", {
      ...decided(nda(deleteFirst), nda(deleteFirst), force, ", deleted first"),
      ...decided(nda(), nda(), { ...force, refresh: true }, ", shown by a refresh"),
      ...decided(
        nda(deleteFirst),
        aliased({ ...renamed, ...deleteFirst }),
        forceRenamed,
        ", renamed by aliases, deleted first",
      ),
    }),
  ],
  [
    "forced, only the journal names the old document, and the new one has other content",
    cell(
      "decided by the rows above; `[docsign/replace-signed]` also where a newer one of its name is signed, and `[docsign/replace-unknown-predecessor]` where lists can't show that",
      {
        unsigned: ["replaced", played([nda()], s => up(s, [edited], force))],
        signed: [
          "[docsign/replace-signed]",
          played([nda()], s => {
            sign(s);
            return up(s, [edited], force);
          }),
        ],
        "a newer one is signed": [
          "[docsign/replace-signed]",
          within(filled, async s => {
            other(s, "NDA");
            return up(s, [{ ...retained, inputs: { ...retained.inputs, base64File: base64("two") } }], force);
          }),
        ],
        "lists can't show it; a preview doesn't look": [
          "[docsign/replace-unknown-predecessor]",
          played([retained], async s => {
            other(s, "Other");
            expect((await s.stack.preview([retained], force)).error).toBeUndefined();
            return up(s, [retained], { ...force, skipPreview: true });
          }),
        ],
      },
    ),
  ],
  [
    "the same, and the new one is exactly like it",
    cell("it is taken back in `pulumi up`, and no one is mailed, unless `duplicatePolicy` is `create`", {
      "by default": ["taken over", played([nda()], s => up(s, [nda()], force))],
    }),
  ],
  [
    "forced, and no run has shown the document since it was created",
    cell(
      "it is kept and no one is mailed: run `pulumi refresh`, and force it again. With other content, `[docsign/created-with-other-content]`",
      {
        "the same content": [
          "taken over",
          within(scene, async s => {
            await s.stack.up([nda()]);
            s.service.people.signAll(s.id());
            return up(s, [nda()], force);
          }),
        ],
        "other content": [
          "[docsign/created-with-other-content]",
          within(scene, async s => {
            await s.stack.up([nda()]);
            return up(s, [edited], force);
          }),
        ],
      },
    ),
  ],
  [
    "forced without `deleteBeforeReplace` on a machine without the journal",
    cell(
      "`[docsign/duplicate]` where lists show a document with its name and people; `[docsign/replace-unknown-predecessor]` with `replacementTrigger`; else **created: [share the journal](journal.md)**",
      {
        trigger: [
          "[docsign/replace-unknown-predecessor]",
          played([nda({ replacementTrigger: "1" })], async s => {
            sign(s);
            await forgetMachine(s);
            return up(s, [nda({ replacementTrigger: "2" })]);
          }),
        ],
        ...Object.fromEntries(
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
      },
    ),
  ],
  [
    "forced without it, and in the same run the resource is renamed by `aliases` and its document's name changes",
    cell(
      "**created: rename the resource in a run of its own**",
      Object.fromEntries(
        Object.entries(decided(nda(), aliased(renamed), forceRenamed)).map(([name, [, play]]) => [
          name,
          ["second document", play] as const,
        ]),
      ),
    ),
  ],
];

const guard = (page: string, name: string, head: readonly string[], all: readonly Row<undefined>[]) =>
  tableOf({ page, name, head, rows: all, settings: { "": undefined } });

export const replaceGuard = [
  guard("decisions/who-asks", "who-asks", ["the replacement comes from", "preview", "`pulumi up`"], whoAsks),
  guard("replace-guard", "what-is-refused", ["the service, asked about the old document", "result"], rows),
];
