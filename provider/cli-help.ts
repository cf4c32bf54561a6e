/** What a person sees who starts the plugin without an engine, which always passes its address. */
export interface CliHelp {
  /** Printed instead of serving. */
  readonly answer?: string;
  /** Printed on stderr before it serves, at a terminal. */
  readonly hint?: string;
}

export function cliHelp(
  argv: readonly string[],
  { version, engine, terminal }: { version: string; engine: string | undefined; terminal: boolean },
): CliHelp {
  if (engine !== undefined) return {};
  if (argv.includes("--version")) return { answer: `pulumi-resource-docsign ${version}\n` };
  if (argv.some(argument => argument === "--help" || argument === "-h")) return { answer: help(version) };
  if (!terminal) return {};
  return {
    hint:
      "pulumi-resource-docsign: this is a Pulumi plugin, which the engine starts by itself; --help shows more.\n" +
      "The number is the port it listens on, for an engine started with PULUMI_DEBUG_PROVIDERS=docsign:PORT. Ctrl-C ends it.\n",
  };
}

const help = (version: string) => `pulumi-resource-docsign ${version}: Pulumi's plugin for signed contracts.

It isn't started by hand: the engine does so, for every program that uses a docsign resource. For the engine to find it

  in Pulumi.yaml     plugins:
                       providers:
                         - name: docsign
                           path: the folder this program is in

  or once            pulumi plugin install resource docsign ${version} --file ARCHIVE
  or with an SDK     pulumi package add FOLDER, the one that holds PulumiPlugin.yaml

What it offers       pulumi package get-schema PATH, the path of this program
With a debugger      start it without arguments; it prints its port. Then, elsewhere:
                     PULUMI_DEBUG_PROVIDERS=docsign:PORT pulumi up

Settings come from the program's configuration (docsign:baseUrl, docsign:apiKey) or DOCSIGN_BASE_URL, DOCSIGN_API_KEY.

Usage: pulumi-resource-docsign [ENGINE-ADDRESS] [--help] [--version]
Exit codes: 0 ended in order, 1 it couldn't start or crashed.
`;
