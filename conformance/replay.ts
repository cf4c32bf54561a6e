/** Sends the calls of a failure again, as they were recorded. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { CallError, Connection, ENGINES } from "./connection.js";
import { type Fixture, UsageError } from "./fixture.js";
import { type Message, methodOf } from "./messages.js";
import { fakeEngine, start, startService, type Target } from "./start.js";

const recorded = z.object({
  results: z.array(
    z.object({
      law: z.string(),
      subject: z.string().optional(),
      engine: z.string(),
      calls: z.array(z.object({ method: z.string(), request: z.string(), response: z.string().optional() })).optional(),
    }),
  ),
});

interface WithId extends Message {
  getId?(): string;
  setId?(id: string): unknown;
}

export async function replay(
  { target, fixture }: { target: Target; fixture: Fixture },
  file: string,
  print: (line: string) => void,
): Promise<void> {
  const parsed = recorded.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!parsed.success) throw new UsageError(`${file}: expected a report made with --json, got something else`);
  const [engine] = ENGINES;
  if (!engine) throw new TypeError("expected an engine's rules");
  const service = await startService(fixture);
  try {
    for (const { law, subject, engine: rules, calls } of parsed.data.results) {
      if (!calls) continue;
      print(`${law} ${[subject, rules].filter(Boolean).join(" ")}`);
      const host = await fakeEngine();
      const process_ = await start(target, host, { ...process.env, ...fixture.environment });
      const connection = new Connection(process_.port, engine);
      // An id that this run's Create answers stands for the one that was recorded.
      const ids = new Map<string, string>();
      for (const { method, request, response } of calls) {
        const { requestDeserialize, responseDeserialize } = methodOf(method);
        const message: WithId = requestDeserialize(Buffer.from(request, "base64"));
        const id = message.getId?.();
        if (id !== undefined && ids.has(id)) message.setId?.(ids.get(id) ?? id);
        print(`> ${method} ${JSON.stringify(message.toObject())}`);
        const bytes = id === undefined ? Buffer.from(request, "base64") : Buffer.from(message.serializeBinary());
        const answer: WithId | CallError = await connection.raw(method, bytes).catch((error: unknown) => {
          if (error instanceof CallError) return error;
          throw error;
        });
        if (answer instanceof CallError) {
          print(`< ${answer.code} ${answer.text}`);
          continue;
        }
        print(`< ${JSON.stringify(answer.toObject())}`);
        const before: WithId | undefined =
          response === undefined ? undefined : responseDeserialize(Buffer.from(response, "base64"));
        const [was, is] = [before?.getId?.(), answer.getId?.()];
        if (was && is) ids.set(was, is);
      }
      connection.close();
      await host.close();
      await process_.kill("SIGKILL");
    }
  } finally {
    await service.stop();
  }
}
