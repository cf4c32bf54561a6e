import { stopSignal, terminal } from "../commands/cli/flags.js";
import { main, paintFor } from "./command.js";

declare const DOCSIGN_VERSION: string;

void main(process.argv.slice(2), {
  ...terminal(),
  stop: stopSignal(),
  version: DOCSIGN_VERSION,
  paintOut: paintFor(process.stdout, process.env),
  paintErr: paintFor(process.stderr, process.env),
}).then(code => {
  process.exitCode = code;
});
