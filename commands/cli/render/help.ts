export const help = `Renders a contract from its template: the bytes that would be sent. The service isn't asked.

Usage: docsign render TEMPLATE --set NAME=TEXT … -o FILE
       docsign render TEMPLATE --table CSV --row KEY [--set …] -o FILE
       docsign render TEMPLATE --table CSV --all FOLDER [--set …]

TEMPLATE is Markdown or a PDF form, as \`template\` of a Document. From a table each variable is the column of its name;
--set gives it another text, with {{column}} in it.

Options
  --set NAME=TEXT   a variable; repeat it for each
  --variables FILE  variables as JSON, with lists for {{#each}}, and true or false for {{#if}}
  --table CSV       rows, as \`table\` of a DocumentSet
  --key TEXT        what tells the rows apart, such as {{email}} (default: the first column)
  --row KEY         the row with this key
  --all FOLDER      every row, into a file named after its key
  -o, --out FILE    the PDF
  --font FILE       a font for characters that the built-in ones lack; repeat it in order of preference
  --page-size SIZE  A4 (default) or Letter
  --no-page-numbers
  --title TEXT      title in the PDF's properties (default: the first heading)
  --watch           render again whenever one of the files changes, until Ctrl-C
  --help, -h        this page

For each PDF a line: its file, its pages and its SHA-256, which is \`sha256\` of the Document.

Exit codes
  0  it's done
  1  a file can't be read or written, or a contract can't be rendered; the message says why, by line
  2  a flag is wrong
`;
