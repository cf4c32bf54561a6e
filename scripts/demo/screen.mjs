// What the demo shows. Colours as Node has them: on a terminal, unless NO_COLOR is set, or where FORCE_COLOR wants them.
import { styleText } from "node:util";

/** @param {NodeJS.WriteStream} stream */
export function createScreen(stream) {
  const paint = style => text => styleText(style, text, { stream });
  const [bold, dim] = [paint("bold"), paint("dim")];
  const write = text => stream.write(`${text}\n`);
  const shown = new Map();
  let number = 0;
  return {
    title: text => write(`\n${bold(text)}\n`),
    step: text => write(`\n${bold(`${++number}. ${text}`)}`),
    note: text => write(`   ${text}`),
    plain: write,
    /** A line of the engine's own output; how far a resource is, when that has changed. */
    engine(line) {
      const { resource, progress } = /^(?<resource>.*ing) \(\d+s\)(?<progress>.*)$/.exec(line)?.groups ?? {};
      if (resource !== undefined) {
        if (shown.get(resource) === progress) return;
        shown.set(resource, progress);
      }
      write(dim(`   | ${line}`));
    },
    table(outputs) {
      const width = Math.max(...Object.keys(outputs).map(name => name.length));
      for (const [name, value] of Object.entries(outputs)) {
        const text = Array.isArray(value) ? value.join(", ") || "nobody" : String(value ?? "not there yet");
        write(`   ${name.padEnd(width)}  ${bold(text)}`);
      }
    },
  };
}
