import { expect, test } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { type IndependentService, startIndependentService } from "../support/independent-service/index.js";
import { Project } from "./support/engine-run.js";
import { sawOf } from "./support/rig.js";

const ANA = "ana@example.com";
const expectOneSent = ({ ledger }: IndependentService): void =>
  expect(sawOf(ledger)).toMatchObject({ documents: 1, mails: 2 });

test.skipIf(missingEngine)(
  "up --continue-on-error ends with the refusal of a changed PDF, and sends nothing",
  async () => {
    await using service = await startIndependentService();
    using project = await Project.open(service);
    await project.up().ended;
    const ids = project.ids();
    service.people.sign(ids[0] ?? "", ANA);
    project.write("another clause");
    const { code, output } = await project.up({}, "--continue-on-error").ended;
    expect([code === 0, output]).toEqual([false, expect.stringContaining("[docsign/replace-signed]")]);
    expect(project.ids()).toEqual(ids);
    expectOneSent(service);
  },
);

// The engine goes on waiting for the rest of the replacement: https://github.com/pulumi/pulumi/issues/16373
test.skipIf(missingEngine)(
  "up --continue-on-error sends nothing after a refused Delete, and Ctrl-C ends it with the state unchanged",
  async () => {
    await using service = await startIndependentService();
    using project = await Project.open(service);
    await project.up().ended;
    const ids = project.ids();
    project.write("another clause");
    const look = service.gate("processed", "getDocument");
    const { child, said, ended } = project.up({}, "--continue-on-error");
    await look.reached;
    service.people.sign(ids[0] ?? "", ANA);
    look.open();
    await said("**deleting failed**");
    child.kill("SIGINT");
    const { code, output } = await ended;
    expect([code === 0, output]).toEqual([false, expect.stringContaining("[docsign/replace-signed]")]);
    expect(project.ids()).toEqual(ids);
    expectOneSent(service);

    project.write("the contract");
    const again = await project.up().ended;
    expect([again.code, project.ids()]).toEqual([0, ids]);
    expectOneSent(service);
  },
);
