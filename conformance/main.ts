import { main } from "./cli.js";

main(process.argv.slice(2)).then(
  code => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(`pulumi-provider-conformance: this is a bug: ${(error as Error).stack}\n`);
    process.exitCode = 70;
  },
);
