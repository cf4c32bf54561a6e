import { stopSignal, terminal } from "../cli/flags.js";
import { main } from "./command.js";

declare const DOCSIGN_VERSION: string;

void main(process.argv.slice(2), {
  stdin: process.stdin,
  ...terminal(),
  stop: stopSignal(),
  version: DOCSIGN_VERSION,
}).then(code => {
  process.exitCode = code;
});
