// What the demo shows. Colours on a terminal only, and not where NO_COLOR is set.

/** @param {NodeJS.WriteStream} stream */
export function createScreen(stream, env = process.env) {
  const colours = stream.isTTY && !env.NO_COLOR && env.TERM !== "dumb";
  const paint = code => text => (colours ? `\x1b[${code}m${text}\x1b[0m` : text);
  const [bold, dim] = [paint(1), paint(2)];
  const write = text => stream.write(`${text}\n`);
  let number = 0;
  return {
    title: text => write(`\n${bold(text)}\n`),
    step: text => write(`\n${bold(`${++number}. ${text}`)}`),
    note: text => write(`   ${text}`),
    plain: write,
    /** A line of the engine's own output. */
    engine: line => write(dim(`   | ${line}`)),
    table(outputs) {
      const width = Math.max(...Object.keys(outputs).map(name => name.length));
      for (const [name, value] of Object.entries(outputs)) {
        const text = Array.isArray(value) ? value.join(", ") || "nobody" : String(value ?? "not there yet");
        write(`   ${name.padEnd(width)}  ${bold(text)}`);
      }
    },
  };
}
