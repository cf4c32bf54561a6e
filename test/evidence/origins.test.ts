import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { downloadEvidence } from "../../sdk/evidence/index.js";
import { startIndependentService } from "../support/independent-service/index.js";
import { failure, folder, openScene, PDF, settingsOf } from "./support.js";

test("a file kept at another origin isn't fetched, and no key leaves", async () => {
  const place = folder();
  try {
    await using elsewhere = await startIndependentService();
    await using independent = await startIndependentService({
      dialect: { fileOrigin: elsewhere.url, form: "extended" },
    });
    const id = independent.people.upload("first", { name: "Lease", pdf: PDF, emails: ["ana@example.com"] });
    const { missing } = await downloadEvidence({
      documentId: id,
      directory: place.directory,
      settings: settingsOf(independent),
    });
    expect(missing[0]).toMatchObject({
      kind: "original",
      why: expect.stringContaining("not at the service's own origin"),
    });
    expect(missing[0]?.why).toContain(`\`allowOrigins: ["${elsewhere.url}"]\` fetches it`);
    expect(elsewhere.connections).toBe(0);
  } finally {
    place.remove();
  }
});

test("a file at an allowed origin is fetched without the key", async () => {
  const place = folder();
  const seen: IncomingMessage[] = [];
  const elsewhere = createServer((request, response) => {
    seen.push(request);
    response.end(PDF);
  });
  await new Promise<void>(resolve => elsewhere.listen(0, "127.0.0.1", resolve));
  const fileOrigin = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  try {
    await using independent = await startIndependentService({ dialect: { fileOrigin, form: "extended" } });
    const id = independent.people.upload("first", { name: "Lease", pdf: PDF, emails: ["ana@example.com"] });
    const { files } = await downloadEvidence({
      documentId: id,
      directory: place.directory,
      allowOrigins: [`${fileOrigin}/`],
      settings: settingsOf(independent),
    });
    expect(files).toMatchObject([{ kind: "original", neededKey: false, proven: true }]);
    expect(seen).toHaveLength(1);
    expect(Object.keys(seen[0]?.headers ?? {})).not.toContain("x-api-key");
  } finally {
    elsewhere.close();
    elsewhere.closeAllConnections();
    place.remove();
  }
});

test.each(["files.example", "https://files.example/a", "ftp://files.example", "http://files.example", "*"])(
  "%s is no origin to allow",
  async origin => {
    await using scene = await openScene();
    const args = { documentId: scene.id, directory: scene.directory, settings: settingsOf(scene.service) };
    expect(await failure(downloadEvidence({ ...args, allowOrigins: [origin] }))).toMatchObject({
      name: "EvidenceError",
      message: `allowOrigins: expected an origin such as https://files.example, got ${JSON.stringify(origin)}`,
    });
    expect(scene.files()).toEqual([]);
  },
);
