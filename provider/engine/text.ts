/**
 * Text on its way to a terminal. Names and messages of the service end up in it, so control characters and
 * direction marks are shown as escapes; lone surrogates would make grpc-js throw when it sends the message.
 */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?/g, "\n")
    .replace(/[\p{Cc}\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu, char =>
      char === "\n" || char === "\t" ? char : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
}

/** At most `bytes` of the text as gRPC percent-encodes it for a header. */
export function clipped(text: string, bytes: number): string {
  if (headerLength(text) <= bytes) return text;
  const ending = " … (shortened)";
  let used = headerLength(ending);
  let kept = "";
  for (const char of text) {
    used += headerLength(char);
    if (used > bytes) break;
    kept += char;
  }
  return kept + ending;
}

const headerLength = (text: string): number => encodeURI(text).length;
