export const help = `Shows creates whose outcome isn't known, and lets a person say what came of them. Pulumi isn't run.

Usage: docsign journal list [--json] [--stack NAME] [--journal WHERE]
       docsign journal resolve TOKEN --is ID [--by NAME] [--stack NAME] [--journal WHERE]
       docsign journal resolve TOKEN… --never-arrived [--by NAME] [--force] [--stack NAME] [--journal WHERE]

A create is settled as a rule by the next \`pulumi up\` of its stack, which looks for the document. Where that proves
nothing, look at the account on the platform, and say what you saw:

  --is ID          it is this document. The next \`pulumi up\` verifies it and takes it into state; nobody is mailed
  --never-arrived  there is no such document. The next \`pulumi up\` sends it, which mails its people

Options
  --by NAME        who says so, for the journal: left out, who is logged in here
  --stack, -s      whose settings say which journal and which service: left out, those of the stack that is selected in
                   this folder's project; without a project, the environment's
  --journal WHERE  local, postgres://… or s3://…, as \`docsign:journal\`; left out, the stack's, then DOCSIGN_JOURNAL, then a
                   remote PULUMI_BACKEND_URL, then this machine's
  --force          although the service answered that it was created, somebody said which one it is, or its request may still be
                   on its way
  --json           for machines
  --help, -h       this page

With the base URL and the key of a create's service (the stack's, or DOCSIGN_BASE_URL and DOCSIGN_API_KEY), list names the documents there that may be it.

Exit codes
  0  it's done
  1  the journal can't be read or written, or the word was refused
  2  a flag is wrong
`;
