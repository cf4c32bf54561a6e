export const pullHelp = `Downloads what proves that contracts were signed into a folder: signed PDFs, certificates and constancias, checked.

Usage: docsign evidence pull --stack NAME -o FOLDER
       docsign evidence pull --folder ID -o FOLDER
       docsign evidence pull --from DAY --to DAY [--folder ID] -o FOLDER

Only what isn't there yet is downloaded, so run it as often as you like; after an interruption it goes on. FOLDER gets a folder
for each signed document, and manifest.json with the SHA-256 of every file. Keep the manifest's own SHA-256, which is
printed, elsewhere: \`docsign verify FOLDER --sha256 HASH\` then shows any change.

Options
  --stack, -s         the documents of a stack's state, sets included; its settings say which service
  --folder ID         the documents of a folder at the service
  --from, --to DAY    the documents created in these days, such as 2027-01-31
  --out, -o FOLDER    where to
  --allow-origin URL  an origin besides the service's own that files may be fetched from; may be given again
  --help, -h          this page

Without --stack the settings are those of the stack that is selected in this folder's project; without a project, the
environment's.

Exit codes
  0  the evidence of every signed document is there, as far as the service has it
  1  something failed: what came is kept, and the next run goes on
  2  a flag is wrong
`;

export const verifyHelp = `Compares a folder of \`docsign evidence pull\` with its manifest, and checks the time stamps. It asks nobody.

Usage: docsign verify FOLDER [--sha256 HASH] [--html FILE]

Options
  --sha256 HASH  what \`docsign evidence pull\` printed: the manifest is compared with it
  --html FILE    writes a page to print
  --help, -h     this page

Exit codes
  0  every file is the one that was pulled, and no time stamp is refuted
  1  something differs, is missing or was added
  2  a flag is wrong
`;
