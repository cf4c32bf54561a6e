import { expect, test } from "vitest";
import { startService } from "../../scripts/bench/stand-in.mjs";
import { simulate } from "./support/simulation.ts";

test("a simulated fleet sends each contract once, and reads none back", async () => {
  const service = await startService(0);
  try {
    const parts = await simulate({ stacks: 10, documents: 8, service: { url: service.url, apiKey: "bench" } });
    expect(parts.map(({ contracts }) => contracts)).toEqual([8, 16, 24, 32, 40, 48, 56, 64, 72, 80]);
    const { documents, requests } = await service.counts();
    expect([documents, requests]).toEqual([80, { "POST /v1/documents": 80 }]);
  } finally {
    await service.close();
  }
});
