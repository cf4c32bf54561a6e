import { redact } from "../../kit/secrets.js";
import { messageOf, printable } from "../../provider/core/text.js";
import { functions } from "../../provider/functions/index.js";
import type { Log } from "../../provider/resources/resource.js";
import { createRuntime, type Runtime } from "../../provider/runtime.js";
import { decode, type Raw } from "./encoding.js";
import { secretSettings, settingsIn, version } from "./engine-process.js";

export interface FunctionCall {
  readonly token: string;
  readonly args: Raw;
  /** The stack's configuration. */
  setting(name: string): string | undefined;
  readonly log: Log;
}

export type FunctionResult = { readonly result: Raw } | { readonly problem: string };

/** One for each configuration: a program of the automation API runs several stacks in one process. */
const runtimes = new Map<string, Runtime>();

/** Answers a function in the program's own process. */
export async function callFunction({ token, args, setting, log }: FunctionCall): Promise<FunctionResult> {
  const settings = settingsIn(setting);
  const runtime = runtimeFor(settings);
  const fn = functions(runtime.context).find(each => each.token === token);
  if (!fn) throw new Error(`pulumi-docsign has no function ${token}`);
  const hidden = secretSettings(Object.fromEntries(settings));
  const clean = (text: string) => printable(redact(text, hidden));
  const call = { urn: "", preview: false, signal: new AbortController().signal, log, secrets: new Set<string>() };
  try {
    const result = await fn.invoke(call, decode(args));
    if ("result" in result) return { result: result.result };
    return { problem: result.failures.map(({ reason }) => clean(reason)).join("\n") };
  } catch (error) {
    return { problem: clean(messageOf(error)) };
  }
}

function runtimeFor(settings: [string, string][]): Runtime {
  const name = JSON.stringify(settings);
  const cached = runtimes.get(name);
  if (cached) return cached;
  const runtime = createRuntime({ env: process.env, version, engine: undefined, pid: process.pid });
  runtime.configure(Object.fromEntries(settings));
  runtimes.set(name, runtime);
  return runtime;
}
