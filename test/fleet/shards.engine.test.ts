import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { missingEngine } from "../support/engine/found.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { FleetFolder } from "./support/machine.js";
import { openPostgres } from "./support/scene.js";

const PEOPLE = Array.from({ length: 12 }, (_, nth) => `person-${nth}@example.com`);
const shards = (count: number) => ({ shards: { of: "people.csv", key: "email", count } });

const program = {
  configuration: { people: { type: "String" } },
  resources: {
    ndas: {
      type: "docsign:DocumentSet",
      properties: {
        table: { "fn::fileAsset": `\${people}` },
        key: "{{email}}",
        defaults: {
          name: "NDA of {{email}}",
          file: { "fn::stringAsset": "%PDF-1.7\n%%EOF\n" },
          invitations: [{ email: "{{email}}" }],
        },
      },
    },
  },
};

describe.skipIf(missingEngine)("a set cut into shards", () => {
  it("growing from 2 to 3 shards is described, moves contracts between states, and mails nobody", async () => {
    await using postgres = await openPostgres();
    await using service = await startIndependentService();
    const fleet = await FleetFolder.make({
      ...{ database: postgres.url, service, stacks: shards(2), program },
      more: `config: { "contracts:people": "\${file}" }\nlimits: { requestsInFlight: 4 }`,
    });
    await using _ = fleet;
    writeFileSync(join(fleet.folder, "people.csv"), `email\n${PEOPLE.join("\n")}\n`);
    const begun = fleet.start("desk", "up", "--work");
    expect(await begun.ended, begun.text()).toBe(0);
    const mailed = () => service.ledger.mails().map(({ to }) => to);
    expect(mailed().sort()).toEqual([...PEOPLE].sort());

    fleet.declareFleet(shards(3));
    const refused = fleet.start("desk", "preview", "--work");
    expect(await refused.ended).toBe(1);
    expect(refused.text()).toMatch(
      /expected 2 shards, as at the last up, got 3: \d contracts belong into another stack now/,
    );

    const moved = fleet.start("desk", "up", "--work", "--move", "--expect-mails", "0");
    expect(await moved.ended, moved.text()).toBe(0);
    expect(moved.text()).toMatch(/\d contracts are in the states of their new stacks; nobody was mailed/);
    expect(mailed()).toHaveLength(PEOPLE.length);
    const rows = [0, 1, 2].map(shard => {
      const set = fleet.resources(`leases-${shard}`).find(({ type }) => type === "docsign:index:DocumentSet");
      return Object.keys(set?.outputs["documents"] as object);
    });
    expect(rows.flat().sort()).toEqual([...PEOPLE].sort());
    expect(rows[2]?.length).toBeGreaterThan(0);
  });
});
