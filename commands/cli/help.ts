import { COMMANDS } from "./commands.js";

const width = Math.max(...Object.keys(COMMANDS).map(name => name.length));

export const help = `Signed contracts in Pulumi.

Usage: docsign COMMAND [options]   (docsign COMMAND --help shows more)

Commands
${Object.entries(COMMANDS)
  .map(([name, { what }]) => `  ${name.padEnd(width)}  ${what}`)
  .join("\n")}

Options
  --version   the version
  --help, -h  this page

Completion
  bash  source <(docsign completion bash)     in ~/.bashrc
  zsh   source <(docsign completion zsh)      in ~/.zshrc
  fish  docsign completion fish | source      in ~/.config/fish/config.fish
`;
