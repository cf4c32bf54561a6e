import { StatusError } from "../../provider/client/errors.js";
import type { Service } from "../../provider/client/service.js";
import { isLoopback } from "../../provider/client/transport.js";
import type { Environment } from "../../provider/config.js";
import type { Clock } from "../../provider/core/clock.js";
import { oneLine } from "../../provider/core/text.js";
import { inParallel } from "../../provider/core/turns.js";
import type { Journal, Scope } from "../../provider/resources/journal/contract.js";
import { deadlineOf } from "../../provider/resources/signature-gate/declaration.js";
import { deadlinesOf } from "../board/documents.js";
import { readExport } from "../board/state.js";
import { messageOf } from "../cli/flags.js";
import { documentsIn } from "../stack-documents.js";
import { keyOf, messageFor, type Notice, noticesOf } from "./notices.js";
import type { Notify } from "./settings.js";
import { type Effects, exportStack } from "./watcher.js";

/** Documents read at a time. */
const AT_ONCE = 8;
/** Of a request that never left: the next run may send it. Of any other failure nobody knows. */
const NOT_SENT = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|.*CERT.*)$/;
const BEGUN = "begun";

export interface NotifyOptions {
  /** Paths in the settings are relative to it. */
  readonly folder: string;
  readonly env: Environment;
  readonly service: Service;
  readonly journal: Pick<Journal, "reminded" | "remind" | "confirmReminder" | "unremind">;
  readonly clock: Clock;
  readonly effects: Pick<Effects, "output" | "post">;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
}

/**
 * Tells what has happened to documents since the last look, each thing once, whoever looks: what is about to be told is in
 * the journal before, where the first line of a notice wins. A look that is killed in between, or never gets an answer, has
 * told it as far as anybody knows: it isn't told again. The first look tells nothing. Answers whether all went well.
 */
export async function notify(channel: Notify, options: NotifyOptions): Promise<boolean> {
  try {
    return await new Look(channel, options).take();
  } catch (error) {
    options.say(`${channel.name}: ${oneLine(messageOf(error))}`);
    return false;
  }
}

class Look {
  readonly #url: string;
  readonly #scope: Scope;
  /** Nothing that is there already is news. */
  #isFirst = false;
  /** A document wasn't seen, and may be the next time. */
  #isInterrupted = false;

  constructor(
    private readonly channel: Notify,
    private readonly options: NotifyOptions,
  ) {
    this.#url = addressIn(options.env, channel.urlFrom);
    this.#scope = { service: options.service.origin, urn: `urn:docsign:notices::${channel.name}` };
  }

  async take(): Promise<boolean> {
    const { documents, documentsOf } = this.channel;
    const { folder, journal, effects, signal } = this.options;
    const state = documentsOf && (await exportStack(documentsOf, folder, effects));
    const ids = [...new Set(documents ?? documentsIn(state ?? "{}"))];
    const lastOf = (id: string) => this.#entry(keyOf(id, "last"));
    const notified = await journal.reminded(this.#scope, [this.#entry(BEGUN), ...ids.map(lastOf)]);
    const known = new Set(notified.map(({ invitationId }) => invitationId));
    this.#isFirst = !known.has(this.#entry(BEGUN));
    const deadlines = deadlinesOf(state === undefined ? [] : readExport(JSON.parse(state)).resources);
    const open = ids.filter(id => !known.has(lastOf(id)));
    const ends = await inParallel(AT_ONCE, open, id => this.#at(id, deadlines.get(id)));
    if (this.#isFirst && !this.#isInterrupted && !signal.aborted) await this.#record(BEGUN, "sent");
    return ends.every(Boolean);
  }

  async #at(id: string, ofGate: string | undefined): Promise<boolean> {
    const { service, signal, say } = this.options;
    try {
      const body = await service.getDocument(id, { signal });
      const deadline = ofGate === undefined ? deadlineOf(this.channel.deadline, body) : Date.parse(ofGate);
      let isComplete = true;
      for (const notice of noticesOf(body, { deadline, now: this.#now() }))
        isComplete = (await this.#tell(notice)) && isComplete;
      return isComplete;
    } catch (error) {
      if (!(error instanceof StatusError && error.isLasting)) this.#isInterrupted = true;
      say(`${this.channel.name}: document ${id}: ${oneLine(messageOf(error))}`);
      return false;
    }
  }

  /** As the journal has it. */
  #entry(key: string): string {
    return `notice ${this.channel.name} ${key}`;
  }

  /** The token of what nobody has told yet. */
  async #record(key: string, event: string): Promise<string | undefined> {
    const at = new Date(this.#now()).toISOString();
    return this.options.journal.remind(this.#scope, { invitationId: this.#entry(key), round: event, at }, []);
  }

  async #tell(notice: Notice): Promise<boolean> {
    const { on, name, to } = this.channel;
    const { journal, effects, say } = this.options;
    const isSilent = this.#isFirst || !on.includes(notice.event);
    // A document that is done isn't read again; nothing else that nobody asked for is worth a line.
    if (!this.#isFirst && isSilent && notice.event !== "last") return true;
    const token = await this.#record(notice.key, notice.event);
    if (token === undefined) return true;
    if (isSilent) {
      await journal.confirmReminder(this.#scope, token);
      return true;
    }
    const what = `${name}: ${notice.event} of document ${notice.documentId}`;
    try {
      const status = await effects.post(this.#url, messageFor(to, notice));
      if (status >= 200 && status <= 299) {
        await journal.confirmReminder(this.#scope, token);
        say(what);
        return true;
      }
      await journal.unremind(this.#scope, token);
      say(`${what}: expected 2xx, got ${status}. The next run sends it`);
    } catch (error) {
      const code = codeOf(error);
      if (NOT_SENT.test(code)) await journal.unremind(this.#scope, token);
      const outcome = NOT_SENT.test(code) ? "The next run sends it" : "It may have arrived, so it isn't sent again";
      // The error's own words may name the address.
      say(`${what}: no answer (${code}). ${outcome}`);
    }
    return false;
  }

  /** By the service's clock, once it has answered. */
  #now(): number {
    return this.options.service.now()?.getTime() ?? this.options.clock.now();
  }
}

function addressIn(env: Environment, variable: string): string {
  const given = env[variable]?.trim() ?? "";
  if (given === "") throw new Error(`expected an address in ${variable}, got none`);
  const url = URL.parse(given);
  // Whoever reads the address on its way may write there too, and names and titles go with it.
  if (!url || !(url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname))))
    throw new Error(`expected an https address in ${variable}, got something else`);
  return given;
}

function codeOf(error: unknown): string {
  const { name, code, cause } = error as { name?: unknown; code?: unknown; cause?: { code?: unknown } };
  return oneLine(String(cause?.code ?? code ?? name ?? "unknown"));
}
