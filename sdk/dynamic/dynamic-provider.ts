import { callLog } from "../../kit/log.js";
import { propertiesWhere } from "../../kit/property.js";
import { redact, secretTexts } from "../../kit/secrets.js";
import { hasUnknown, type Values } from "../../kit/values.js";
import { printable } from "../../provider/core/text.js";
import { resourceDeclarations } from "../../provider/declarations.js";
import { resources } from "../../provider/registry.js";
import type { Context } from "../../provider/resources/context.js";
import { onlyReading } from "../../provider/resources/only-reading.js";
import { commonCommand, noteOf, outOfSet, Refusal, rendered } from "../../provider/resources/refusal.js";
import {
  type Call,
  type Created,
  type Failure,
  PartialFailure,
  type Resource,
} from "../../provider/resources/resource.js";
import { withFacts } from "../../provider/schema/facts.js";
import { INTERNAL, type Kind, tokenOf } from "../front-end.js";
import { adopt, adoptSet, isOver } from "./adoption.js";
import { encode, encodeOutputs, type Raw } from "./encoding.js";
import type { EngineProcess } from "./engine-process.js";
import { toProviderError } from "./errors.js";
import { givenOf, inputsFrom } from "./given-inputs.js";
import {
  type InternalInputs,
  internalInInputs,
  internalInOutputs,
  namedForEngine,
  type Timeouts,
  type Unpacked,
  unpack,
  unpackInputs,
  urnOf,
} from "./internal-inputs.js";

/** Pulumi's Node.js SDK hands state to a dynamic provider as ordinary objects, which have no such key. */
const LOST_KEYS = new Set(["__proto__"]);

/** What the last Check of a resource leaves for the calls after it, which aren't given it. */
interface LastCheck {
  /** Inputs in state. */
  readonly oldInputs: Values | undefined;
  readonly preview: boolean;
  readonly timeouts: Timeouts;
}

/** The rules of provider/resources behind what the host of dynamic providers calls. */
export class DynamicFrontEnd {
  #process: EngineProcess | undefined;
  /** A resource may remember one call until the next. */
  #resources: readonly Resource[] | undefined;
  readonly #checked = new Map<string, LastCheck>();

  constructor(private readonly start: () => EngineProcess) {}

  async configure({ config }: { config: { get(key: string): unknown } }): Promise<void> {
    this.#here.configure(name => config.get(`docsign:${name}`));
  }

  async check(rawOlds: Raw, rawNews: Raw): Promise<{ inputs: Raw; failures: Failure[] }> {
    const news = unpackInputs(rawNews);
    const { key, kind } = news.internal;
    // The host has an empty object for none.
    const olds = Object.keys(rawOlds).length > 0 ? unpackInputs({ [INTERNAL.key]: key, ...rawOlds }).values : undefined;
    return this.#answer(news, async (call, clean) => {
      const { inputs, failures } = await this.#resource(kind).check(call, { olds, news: news.values });
      const { preview, timeouts } = news.internal;
      this.#checked.set(key, { oldInputs: olds ?? this.#checked.get(key)?.oldInputs, preview, timeouts });
      // The engine asks Create nothing in a preview, so what it would say there is said here.
      if (olds === undefined && failures.length === 0 && call.preview) await this.#create(call, news, inputs);
      return {
        inputs: {
          ...encode(namedForEngine(kind, inputs), "keep"),
          ...internalInInputs(rawNews, news.internal, olds !== undefined),
        },
        failures: failures.map(({ property, reason }) => ({ property, reason: printable(clean(reason)) })),
      };
    });
  }

  async diff(id: string, rawOlds: Raw, rawNews: Raw) {
    const olds = unpack(rawOlds);
    const news = unpackInputs(rawNews);
    const { key, kind } = news.internal;
    return this.#answer(news, async call => {
      const checked = this.#checked.get(key);
      // Without a Check before it this is a refresh's own Diff: no input changes, whatever outputs say that they were. With
      // an unknown among them, what it depends on is replaced.
      const isRefresh = !checked && !hasUnknown(news.values);
      const oldInputs = isRefresh ? news.values : (checked?.oldInputs ?? inputsFrom(kind, olds.values, olds.given));
      const args = { id, olds: olds.values, oldInputs, news: news.values };
      const diff = await this.#resource(kind).diff(call, { ...args, ignoreChanges: [] });
      const replacing = Object.keys(diff.detailed).filter(path => diff.detailed[path]?.endsWith("-replace"));
      const unfinished = olds.internal.unfinished && checked !== undefined;
      const changes = diff.changes === "some" || unfinished;
      // Nor does the engine ask Update anything in a preview.
      if (changes && replacing.length === 0 && checked?.preview) await this.#previewUpdate(call, kind, checked, args);
      return {
        changes,
        replaces: [...new Set(replacing.map(path => path.split(/[.[]/)[0] ?? path))],
        deleteBeforeReplace: diff.deleteBeforeReplace,
      };
    });
  }

  async create(raw: Raw): Promise<{ id: string; outs: Raw }> {
    const inputs = unpackInputs(raw);
    return this.#answer(
      inputs,
      async call => {
        const { id, outputs } = await this.#create(call, inputs, inputs.values);
        return { id, outs: this.#outs(raw, inputs.internal.kind, inputs.values, outputs) };
      },
      raw,
    );
  }

  async read(id: string, raw: Raw): Promise<{ id: string; props: Raw }> {
    const opened = unpack(raw);
    const { values, internal, given } = opened;
    const { kind, key } = internal;
    // The Diff that follows is a refresh's own, and says nothing.
    const checked = this.#checked.get(key);
    if (checked) this.#checked.set(key, { ...checked, preview: false });
    return this.#answer(opened, async call => {
      const known = typeof values["service"] === "string";
      const inputs = known ? inputsFrom(kind, values, given) : undefined;
      const others =
        internal.lookup ||
        (known && (await this.#heldByAnother(String(values["service"]), key, idOf(kind, values, id))));
      const resource = others ? resourceOf(kind, resources(onlyReading(this.#context))) : this.#resource(kind);
      try {
        const read = await resource.read(call, { id, inputs, outputs: known ? values : undefined });
        if (read.id === "") return { id: "", props: {} };
        const props = this.#outs(raw, kind, read.inputs, read.outputs);
        // The service doesn't show whether a reminder was finished.
        const stillOpen = internal.unfinished && kind === "Reminder" ? { [INTERNAL.unfinished]: true } : {};
        return { id: read.id, props: { ...props, ...stillOpen } };
      } catch (error) {
        if (!(error instanceof PartialFailure)) throw error;
        // The host can't pass on that it is there and unfinished: that would fail the refresh. So state remembers it.
        call.log.warn(error.reasons.join("\n"));
        return { id: error.id, props: this.#unfinished(raw, kind, error) };
      }
    });
  }

  async update(id: string, rawOlds: Raw, rawNews: Raw): Promise<{ outs: Raw }> {
    const olds = unpack(rawOlds);
    const news = unpackInputs(rawNews);
    const { key, kind } = news.internal;
    const checked = this.#checked.get(key);
    return this.#answer(
      news,
      async call => {
        const oldInputs = checked?.oldInputs ?? inputsFrom(kind, olds.values, olds.given);
        const outputs = await this.#resource(kind).update(timed(call, checked?.timeouts.update), {
          id,
          olds: olds.values,
          oldInputs,
          news: news.values,
        });
        return { outs: this.#outs(rawNews, kind, news.values, outputs) };
      },
      rawNews,
    );
  }

  async delete(id: string, raw: Raw): Promise<void> {
    const opened = unpack(raw);
    const { values, internal, given } = opened;
    const inputs = inputsFrom(internal.kind, values, given);
    return this.#answer(opened, call => this.#resource(internal.kind).delete(call, { id, outputs: values, inputs }));
  }

  get #here(): EngineProcess {
    this.#process ??= this.start();
    return this.#process;
  }

  get #context(): Context {
    return this.#here.runtime.context;
  }

  #resource(kind: Kind): Resource {
    this.#resources ??= resources(this.#context);
    return resourceOf(kind, this.#resources);
  }

  async #create(call: Call, { internal: { key, kind, importId } }: Unpacked, inputs: Values): Promise<Created> {
    const context = this.#context;
    if (importId === undefined || isOver(context, call.urn, importId)) {
      return this.#resource(kind).create(timed(call, this.#checked.get(key)?.timeouts.create), { inputs });
    }
    const reader = resourceOf(kind, resources(onlyReading(context)));
    if (kind === "DocumentSet") return adoptSet({ context, reader, own: this.#resource(kind) }, call, importId, inputs);
    return adopt({ kind, context, reader }, call, importId, inputs);
  }

  async #previewUpdate(call: Call, kind: Kind, { timeouts }: LastCheck, args: Parameters<Resource["update"]>[1]) {
    try {
      await this.#resource(kind).update({ ...timed(call, timeouts.update), preview: true }, args);
    } catch (error) {
      if (!(error instanceof PartialFailure)) throw error;
      call.log.warn(error.reasons.join("\n"));
    }
  }

  async #heldByAnother(service: string, key: string, id: string): Promise<boolean> {
    const { journal } = this.#context;
    await journal.refresh();
    const owner = await journal.owner(service, id);
    return owner !== undefined && !owner.released && owner.urn !== key;
  }

  #outs(raw: Raw, kind: Kind, inputs: Values, outputs: Values): Raw {
    const given = givenOf(kind, inputs, outputs);
    return {
      ...encodeOutputs(outputs, SECRET.get(tokenOf(kind)) ?? []),
      ...internalInOutputs(raw),
      ...(Object.keys(given).length > 0 ? { [INTERNAL.given]: encode(given, "omit") } : {}),
    };
  }

  #unfinished(raw: Raw, kind: Kind, failure: PartialFailure): Raw {
    return { ...this.#outs(raw, kind, failure.inputs, failure.outputs), [INTERNAL.unfinished]: true };
  }

  /** One call: its log, its secrets, and errors as the host passes them on. */
  async #answer<T>(
    { values, internal }: Unpacked,
    work: (call: Call, clean: (text: string) => string) => Promise<T>,
    raw?: Raw,
  ): Promise<T> {
    const here = this.#here;
    const hiddenTexts = [
      ...here.secrets,
      ...secretTexts({ values, secrets: [...internal.secrets].map(name => [name]) }),
    ];
    const clean = (text: string) => redact(text, hiddenTexts);
    const log = callLog(here.log, urnOf(internal), { redact: clean, write: withFacts });
    const call: Call = {
      urn: internal.key,
      preview: internal.preview,
      signal: here.signal,
      log,
      secrets: internal.secrets,
      lostKeys: LOST_KEYS,
    };
    const properties = (failure: PartialFailure) => this.#unfinished(raw ?? {}, internal.kind, failure);
    try {
      return await here.during(work(call, clean));
    } catch (error) {
      const note = noteOf(error);
      if (note) log.info(note.words, note.facts);
      throw toProviderError(renderedFor(error, internal), {
        cancelled: here.signal.aborted,
        redact: clean,
        properties,
      });
    } finally {
      await log.flush();
    }
  }
}

function renderedFor(error: unknown, internal: InternalInputs): unknown {
  if (error instanceof PartialFailure && error.cause instanceof Refusal) {
    const { message } = renderRefusalFor(error.cause, internal);
    return new PartialFailure(error.id, error.outputs, error.inputs, [message]);
  }
  return error instanceof Refusal ? renderRefusalFor(error, internal) : error;
}

function renderRefusalFor(error: Refusal, internal: InternalInputs): Refusal {
  // The engine can't import a dynamic resource: the resource option does.
  error.message = rendered(error, remedy =>
    remedy.kind === "import"
      ? remedy.row === undefined
        ? `keep it: set the resource option import: "${remedy.id}" and run pulumi up`
        : `${outOfSet(remedy.row, remedy.id)}, and declare it as a Document with the resource option import: "${remedy.id}"`
      : commonCommand(
          remedy.kind === "alias" ? { ...remedy, urn: urnOf({ key: remedy.urn, kind: internal.kind }) } : remedy,
          urnOf(internal),
        ),
  );
  return error;
}

function resourceOf(kind: Kind, all: readonly Resource[]): Resource {
  const found = all.find(resource => resource.token === tokenOf(kind));
  if (!found) throw new Error(`no resource ${tokenOf(kind)}`);
  return found;
}

/** Outputs that are secret whatever the program says, by the resource's token. */
const SECRET = new Map(
  resourceDeclarations.map(({ token, outputs }) => [token, propertiesWhere(outputs, meta => meta.secret === true)]),
);

const timed = (call: Call, timeoutMs: number | undefined): Call =>
  timeoutMs === undefined ? call : { ...call, timeoutMs };

const idOf = (kind: Kind, values: Values, id: string): string =>
  String(values[kind === "Document" ? "documentId" : "folderId"] ?? id);
