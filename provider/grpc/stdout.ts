let writeOut: ((text: string) => void) | undefined;

/**
 * The engine takes the first line on stdout for the port and gives the plugin up when it isn't one: from here
 * on whatever others write to stdout goes to stderr, and only the returned function reaches stdout.
 */
export function claimStdout(): (text: string) => void {
  if (writeOut) return writeOut;
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  // An engine that was killed leaves broken pipes behind; that's no reason to crash on the way out.
  for (const stream of [stdout, stderr]) stream.on("error", () => {});
  writeOut = text => void write(text);
  return writeOut;
}
