export const usage =
  "Usage: docsign board [--stack NAME … | --all | FILE …] [--format html|markdown|json]   (--help shows more)";

export const help = `Shows who hasn't signed since when, from the state of Pulumi stacks. It reads, and changes nothing.

Usage: docsign board [options] [FILE …]

Examples
  docsign board --stack acme/leases/prod -o board.html    a page to open, to send or to publish
  docsign board --all --serve                             the page of all stacks, kept up to date
  pulumi stack export | docsign board -o board.html       without access to the backend
  docsign board --all --format markdown                   who has to sign, for a chat
  pulumi preview --json --show-sames | docsign board --format markdown
                                                          what a merge would mail, for a pull request
  docsign board preview.json --format markdown --base origin/main --pdfs pdfs
                                                          and what its contracts say, word by word

Options
  --stack NAME       a stack, as \`pulumi stack ls --all\` names it; may be given again
  --all              every stack of the backend that Pulumi is logged in to
  FILE               what \`pulumi stack export\`, \`pulumi preview --json\` or \`docsign journal list --json\` wrote; - is
                     stdin, the default
  --format FORMAT    html (default), markdown or json
  --out FILE, -o     where to write; stdout unless given
  --base REF         a branch or commit of this repository: what its templates said is compared with what the contracts
                     of a preview would say
  --pdfs DIR         where to write their PDFs, with --base
  --evidence DIR     what \`docsign evidence pull\` wrote: a signed contract whose template isn't in REF is read off its
                     signed PDF there, with --base
  --late-after TIME  who has waited longer is late, where there is no deadline (default 14d; 36h, 2w)
  --serve            serve the page on this machine, and read the stacks again and again
  --port N           port to serve on; 0 picks a free one (default 4020)
  --every SECONDS    how often to read them (default 60)
  --version          the version
  --help, -h         this page

Exit codes
  0  it's done
  1  a stack or a file couldn't be read
  2  a flag is wrong
`;
