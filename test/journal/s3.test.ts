import { DeleteObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { systemClock } from "../../provider/core/clock.js";
import { JournalUnavailableError, RemoteLog } from "../../provider/resources/journal/log.js";
import { LoggedJournal } from "../../provider/resources/journal/logged-journal.js";
import { S3Log } from "../../provider/resources/journal/s3-log.js";
import { about, begun, conformance, scopeOf } from "./conformance.js";
import { startObjectServer } from "./support/object-server.js";
import { missingS3Server, startVersityGateway } from "./support/versity-gateway.js";

const nda = scopeOf("nda");

beforeAll(() => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", "docsign");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "docsign-secret");
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const journalAt = (url: string, run = "r") =>
  new LoggedJournal(new RemoteLog("the journal in s3://contracts", "", async () => new S3Log(url), systemClock), {
    run,
  });

/** Puts an object's content back, or removes it where there was none. */
async function restore(endpoint: string, path: string, before: string): Promise<void> {
  const client = new S3Client({ endpoint, region: "us-east-1", forcePathStyle: true });
  const object = { Bucket: "contracts", Key: path };
  await client.send(
    before === "" ? new DeleteObjectCommand(object) : new PutObjectCommand({ ...object, Body: before }),
  );
  client.destroy();
}

conformance("an object", async () => {
  const server = await startObjectServer();
  const url = `s3://contracts/team/a?endpoint=${server.endpoint}`;
  const opened: LoggedJournal[] = [];
  return {
    journal: ({ run = "r", ...options } = {}) => {
      const log = new RemoteLog("the journal", "", async () => new S3Log(url), systemClock);
      const journal = new LoggedJournal(log, { run, ...options });
      opened.push(journal);
      return journal;
    },
    content: async () => server.objects.get("/contracts/team/a/docsign-journal.jsonl") ?? "",
    save: async () => {
      const before = server.objects.get("/contracts/team/a/docsign-journal.jsonl");
      return async () => {
        if (before === undefined) server.objects.delete("/contracts/team/a/docsign-journal.jsonl");
        else server.objects.set("/contracts/team/a/docsign-journal.jsonl", before);
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map(journal => journal.close()));
      await server[Symbol.asyncDispose]();
    },
  };
});

describe("a service that speaks S3", () => {
  test("and ignores conditions is refused before anything is written", async () => {
    await using server = await startObjectServer();
    server.keepsConditions = false;
    const journal = journalAt(`s3://contracts?endpoint=${server.endpoint}`);
    const begin = journal.begin(nda, begun(), undefined);
    await expect(begin).rejects.toThrow("expected a service that keeps If-None-Match and If-Match");
    await expect(begin).rejects.toBeInstanceOf(JournalUnavailableError);
    expect([...server.objects.keys()]).toEqual(["/contracts/docsign-journal.jsonl.probe"]);
    await journal.close();
  });

  test("and has an object that is too large: it isn't read to the end, and none is made", async () => {
    await using server = await startObjectServer();
    const log = new S3Log(`s3://contracts?endpoint=${server.endpoint}`, 10);
    await log.exchange(["a".repeat(4)]);
    const larger = "expected a journal of at most 10 bytes, got a larger one";
    await expect(log.exchange(["b".repeat(5)])).rejects.toThrow(larger);
    expect(server.objects.get("/contracts/docsign-journal.jsonl")).toBe("aaaa\n");
    server.objects.set("/contracts/docsign-journal.jsonl", "c".repeat(11));
    await expect(log.exchange([])).rejects.toThrow(larger);
    await log.close();
  });

  test("and loses the answer to a write: the line is there once", async () => {
    await using server = await startObjectServer();
    const log = new S3Log(`s3://contracts?endpoint=${server.endpoint}`);
    await log.exchange(["a"]);
    server.lostAnswers = 1;
    expect(await log.exchange(["b"])).toEqual(["b"]);
    expect(server.objects.get("/contracts/docsign-journal.jsonl")).toBe("a\nb\n");
    await log.close();
  });

  test("and loses the answer to a write: what it said is remembered", async () => {
    await using server = await startObjectServer();
    const url = `s3://contracts?endpoint=${server.endpoint}`;
    const journal = journalAt(url);
    await journal.claim(nda, "5001", about());
    server.lostAnswers = 1;
    const attempt = await journal.begin(nda, begun("f2"), undefined);
    expect(await journal.claim(scopeOf("lease"), "5001", about())).toBe(false);
    const other = journalAt(url);
    expect((await other.resource(nda)).attempt).toEqual(attempt);
    expect((await other.resource(nda)).owned).toMatchObject([{ id: "5001" }]);
    await Promise.all([journal.close(), other.close()]);
  });

  test("is asked twice more for a process's first line, and once for each further one", async () => {
    await using server = await startObjectServer();
    const url = `s3://contracts?endpoint=${server.endpoint}`;
    const first = journalAt(url);
    await first.claim(nda, "5001", about());
    server.requests.length = 0;
    const journal = journalAt(url);
    await journal.claim(nda, "5002", about());
    expect(server.requests.map(request => request.split("/")[0])).toEqual(["GET ", "GET ", "PUT ", "PUT ", "PUT "]);
    server.requests.length = 0;
    await Promise.all([journal.claim(nda, "5003", about()), journal.claim(nda, "5004", about())]);
    expect(server.requests).toEqual(["PUT /contracts/docsign-journal.jsonl"]);
    await Promise.all([first.close(), journal.close()]);
  });
});

describe.skipIf(missingS3Server)("Versity's gateway", () => {
  conformance("Versity's gateway", async () => {
    const server = await startVersityGateway("docsign", "docsign-secret");
    const url = `s3://contracts/team?endpoint=${server.endpoint}&region=us-east-1`;
    const opened: LoggedJournal[] = [];
    return {
      journal: ({ run = "r", ...options } = {}) => {
        const log = new RemoteLog("the journal", "", async () => new S3Log(url), systemClock);
        const journal = new LoggedJournal(log, { run, ...options });
        opened.push(journal);
        return journal;
      },
      content: async () => server.read("team/docsign-journal.jsonl"),
      save: async () => {
        const before = server.read("team/docsign-journal.jsonl");
        return () => restore(server.endpoint, "team/docsign-journal.jsonl", before);
      },
      async [Symbol.asyncDispose]() {
        await Promise.all(opened.map(journal => journal.close()));
        await server[Symbol.asyncDispose]();
      },
    };
  });
});
