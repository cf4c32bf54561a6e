import { toStatus } from "../../kit/status.js";
import { clipped, printable } from "../../provider/core/text.js";
import { keptWhole, statusOf } from "../../provider/manner.js";
import { PartialFailure, UserError } from "../../provider/resources/resource.js";
import type { Raw } from "./encoding.js";

/** The engine gets a partial create in an answer's headers, in base64, and reads up to 16 MB of them; a message may be three times its JSON. */
const LARGEST_DETAILS = 4_000_000;

const QUIET = "pulumi-docsign:";

/** An error as the dynamic provider's host passes it on: the message alone, which the engine shows in the resource's row. */
export class ProviderError extends Error {
  declare code: number;
  declare id?: string;
  declare properties?: Raw;
  declare reasons?: string[];

  override toString(): string {
    return QUIET;
  }
}

/** The host prints each error with its stack once more (`${error}: ${error.stack}`). Ours are no news there. */
export function keepHostQuiet(console: Pick<Console, "error">): void {
  const print = console.error;
  console.error = (first: unknown, ...rest: unknown[]) => {
    if (typeof first !== "string" || !first.startsWith(`${QUIET}: `)) print.call(console, first, ...rest);
  };
}

export interface ErrorContext {
  readonly cancelled: boolean;
  redact(text: string): string;
  /** Outputs of a resource that exists and isn't finished, as state keeps them. */
  properties(failure: PartialFailure): Raw;
}

export function toProviderError(error: unknown, { cancelled, redact, properties }: ErrorContext): ProviderError {
  if (error instanceof PartialFailure) {
    const most = Math.max(4_000, 8_000 / error.reasons.length);
    const reasons = error.reasons.map(reason => clipped(printable(redact(reason)), most)).slice(0, 10);
    const thrown = quiet(clipped(reasons.join("\n"), 1_024));
    const reported = withinLimit(properties(error), reasons);
    if (reported) return Object.assign(thrown, { id: error.id, properties: reported, reasons });
    return plain(new UserError(error.message), { cancelled, redact });
  }
  return plain(error, { cancelled, redact });
}

/** State stays as it was. */
function plain(error: unknown, { cancelled, redact }: Pick<ErrorContext, "cancelled" | "redact">): ProviderError {
  const { code, message } = toStatus(error, { provider: "docsign", cancelled, statusOf, redact });
  return Object.assign(quiet(message), { code });
}

function quiet(message: string): ProviderError {
  const thrown = new ProviderError(message);
  thrown.stack = message;
  return thrown;
}

/** What the id needs goes along whatever the size; the next refresh brings back the rest, but for what is kept whole. */
const NEEDED = new Set([
  "__provider",
  "__unfinished",
  "resourceKey",
  "secretInputs",
  "documentId",
  "folderId",
  "service",
  "supersedes",
  "supersededContents",
  "sentPdfHash",
]);

function withinLimit(properties: Raw, reasons: string[]): Raw | undefined {
  const reported = { ...properties };
  const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? "");
  const bySize = Object.keys(reported)
    .filter(name => !NEEDED.has(name) && !keptWhole.has(name))
    .sort((a, b) => size(reported[b]) - size(reported[a]));
  const isFit = () => size(reported) + size(reasons) <= LARGEST_DETAILS;
  for (const name of bySize) {
    if (isFit()) break;
    delete reported[name];
  }
  return isFit() || !Object.keys(reported).some(name => keptWhole.has(name)) ? reported : undefined;
}
