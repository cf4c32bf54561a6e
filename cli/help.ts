export const help = `Signed contracts in Pulumi.

Usage: docsign COMMAND [options]   (docsign COMMAND --help shows more)

Commands
  render       a contract's PDF from its template, as it would be sent
  journal      creates whose outcome isn't known: list them, and say what came of one
  board        who hasn't signed since when, as a page, Markdown or JSON
  fleet        one program over many stacks and machines
  gate-status  an exit code for runs that wait for people
  watch        runs a stack once people have signed
  sandbox      a service to try all of it on, on this machine

Options
  --version   the version
  --help, -h  this page
`;
