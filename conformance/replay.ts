/** Sends the calls of a failure again, as they were recorded. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { CallError, Connection, ENGINES } from "./connection.js";
import { type Fixture, UsageError } from "./fixture.js";
import { METHODS, type Message, methodOf } from "./messages.js";
import { type RecordedCall, type RecordedStep, Recording, recordedStep } from "./recording.js";
import { runCommand, startService, startWithEngine, type Target } from "./start.js";
import { isNewer, newer } from "./wire.js";

const recorded = z.object({
  results: z.array(
    z.object({
      law: z.string(),
      subject: z.string().optional(),
      engine: z.string(),
      steps: z.array(recordedStep).optional(),
    }),
  ),
});

/** What a message may have that is another one in this run. */
interface Sent extends Message {
  getId?(): string;
  setId?(id: string): unknown;
  setEngineAddress?(address: string): unknown;
  setAddress?(address: string): unknown;
  getResourceStatusAddress?(): string;
  setResourceStatusAddress?(address: string): unknown;
}

type Print = (line: string) => void;

export async function replay(
  { target, fixture }: { target: Target; fixture: Fixture },
  file: string,
  print: Print,
): Promise<void> {
  const parsed = recorded.safeParse(JSON.parse(readFileSync(file, "utf8")));
  if (!parsed.success) throw new UsageError(`${file}: expected a report made with --json, got something else`);
  const { stop, variables } = await startService(fixture);
  try {
    for (const { law, subject, engine, steps } of parsed.data.results) {
      if (!steps) continue;
      print(`${law} ${[subject, engine].filter(Boolean).join(" ")}`);
      if (fixture.reset) await runCommand(fixture, fixture.reset, variables);
      await new ReplayedCalls(target, fixture, variables, print).play(steps);
    }
  } finally {
    await stop();
  }
}

type Opened = Awaited<ReturnType<typeof opened>>;

async function opened(target: Target, fixture: Fixture) {
  const { process: started, host } = await startWithEngine(target, { ...process.env, ...fixture.environment });
  const connection = new Connection(started.port, ENGINES[0], new Recording(), 0);
  return {
    host,
    connection,
    async close() {
      connection.close();
      await host.close();
      await started.kill("SIGKILL");
    },
  };
}

/** One failure's calls: what overlapped overlaps again, and each process ends after its last call. */
class ReplayedCalls {
  readonly #processes = new Map<number, Promise<Opened>>();
  /** An id that this run's Create answers stands for the one that was recorded. */
  readonly #ids = new Map<string, string>();
  readonly #open = new Map<RecordedCall, Promise<void>>();

  constructor(
    private readonly target: Target,
    private readonly fixture: Fixture,
    private readonly variables: Readonly<Record<string, string>>,
    private readonly print: Print,
  ) {}

  async play(steps: readonly RecordedStep[]): Promise<void> {
    const inOrder = [...steps].sort((one, other) => one.began - other.began);
    try {
      for (const step of inOrder) {
        await this.#settled(step.began);
        if ("command" in step) {
          this.print(`$ ${step.command}`);
          const words = this.fixture[step.command];
          if (!words) throw new UsageError(`expected \`${step.command}\` in the fixture, found none`);
          await runCommand(this.fixture, words, this.variables);
          continue;
        }
        await this.#end(inOrder, step.began);
        this.#open.set(step, this.#send(step));
      }
      await this.#settled(Number.MAX_SAFE_INTEGER);
    } finally {
      for (const process of this.#processes.values()) await (await process).close();
      // What wasn't answered then either ends with its process.
      await Promise.all(this.#open.values());
    }
  }

  /** Waits for the calls that had ended before this place. */
  async #settled(place: number): Promise<void> {
    for (const [call, answered] of this.#open)
      if ((call.ended ?? Number.POSITIVE_INFINITY) <= place) {
        await answered;
        this.#open.delete(call);
      }
  }

  /** Ends the processes that nothing is sent to from this place on. */
  async #end(steps: readonly RecordedStep[], place: number): Promise<void> {
    for (const [number, process] of this.#processes) {
      if (steps.some(step => "process" in step && step.process === number && step.began >= place)) continue;
      this.#processes.delete(number);
      await (await process).close();
    }
  }

  async #send(step: RecordedCall): Promise<void> {
    const opening = this.#processes.get(step.process) ?? opened(this.target, this.fixture);
    this.#processes.set(step.process, opening);
    const { connection, host } = await opening;
    const { method } = step;
    const known = METHODS.includes(method) ? methodOf(method) : undefined;
    const bytes = this.#request(Buffer.from(step.request, "base64"), known?.requestDeserialize, host.address);
    this.print(`> ${method} ${known ? shown(bytes, known.requestDeserialize) : ""}`);
    const sent: Promise<readonly Sent[]> = !known
      ? connection.unheardOf(method).then(() => [])
      : known.responseStream
        ? connection.stream(method, bytes)
        : connection.raw(method, bytes).then(answer => [answer]);
    const answers = await sent.catch((error: unknown) => {
      if (error instanceof CallError) return error;
      throw error;
    });
    if (answers instanceof CallError) return this.print(`< ${method} ${answers.code} ${answers.text}`);
    for (const [nth, answer] of answers.entries()) {
      this.print(`< ${method} ${JSON.stringify(answer.toObject())}`);
      const before = step.responses[nth];
      const was: Sent | undefined =
        before === undefined ? undefined : known?.responseDeserialize(Buffer.from(before, "base64"));
      const [one, other] = [was?.getId?.(), answer.getId?.()];
      if (one && other) this.#ids.set(one, other);
    }
  }

  /** The recorded bytes, unless something in them is another one in this run. */
  #request(bytes: Buffer, read: Decode | undefined, address: string): Buffer {
    const message = read && readOr(bytes, read);
    if (!message) return bytes;
    const id = message.getId?.();
    const known = id === undefined ? undefined : this.#ids.get(id);
    const hasStatus = (message.getResourceStatusAddress?.() ?? "") !== "";
    if (known === undefined && !message.setEngineAddress && !message.setAddress && !hasStatus) return bytes;
    if (known !== undefined) message.setId?.(known);
    message.setEngineAddress?.(address);
    message.setAddress?.(address);
    if (hasStatus) message.setResourceStatusAddress?.(address);
    const written = message.serializeBinary();
    return isNewer(bytes) ? newer(written) : Buffer.from(written);
  }
}

type Decode = (bytes: Buffer) => Sent;

/** Undefined where the bytes are no message. */
function readOr(bytes: Buffer, read: Decode): Sent | undefined {
  try {
    return read(bytes);
  } catch {
    return undefined;
  }
}

const shown = (bytes: Buffer, read: Decode): string => {
  const message = readOr(bytes, read);
  return message ? JSON.stringify(message.toObject()) : `the bytes ${bytes.toString("hex")}`;
};
