// Versions, as programs print them.

/** `[3, 250, 0]` from `v3.250.0`, `go1.26.8`, `3.250.0-dev`; undefined when there is no version in the text. */
export function parseVersion(text) {
  const match = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text ?? "");
  return match ? [Number(match[1]), Number(match[2]), Number(match[3] ?? 0)] : undefined;
}

/** Whether `text` names a version not older than `wanted`. */
export function atLeast(text, wanted) {
  const have = parseVersion(text);
  const want = parseVersion(wanted);
  if (!have || !want) return false;
  for (let i = 0; i < 3; i++) if (have[i] !== want[i]) return have[i] > want[i];
  return true;
}
