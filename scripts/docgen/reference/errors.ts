import { CAUSES } from "../../../provider/resources/refusal.js";
import { cell, code, page, table } from "./markdown.js";

/** A message without a name of its own. Named causes are in provider/resources/refusal.ts. */
interface ErrorRow {
  /** Its anchor. */
  readonly id: string;
  /** The message, or the part of it that identifies it; `…` stands for what is filled in. */
  readonly says: readonly string[];
  readonly means: string;
  readonly todo: string;
  /** A warning: the command goes on. */
  readonly warning?: true;
  /** Resources and functions that say it, by name, where it isn't all that the section names. */
  readonly at?: readonly string[];
}

interface Section {
  readonly title: string;
  /** Said before the table. */
  readonly about?: string;
  readonly at: readonly string[];
  readonly rows: readonly ErrorRow[];
}

const installation: Section = {
  title: "Installation",
  about: "Pulumi says these, or the plugin before it starts.",
  at: [],
  rows: [
    {
      id: "missing-plugin",
      says: [
        "could not find latest version for provider docsign: …",
        "Could not automatically download and install resource plugin …",
        "no resource plugin 'pulumi-resource-docsign' found in the workspace …",
      ],
      means: "The plugin isn't installed, and none is published yet, whatever address the message names.",
      todo: "Name its folder under `plugins:` in Pulumi.yaml, or install its archive: [the plugin](from-a-clone.md#the-plugin).",
    },
    {
      id: "package-add-unsupported",
      says: [
        "could not read plugin …: … not supported …",
        "method GeneratePackage not implemented",
        "method GenerateProgram not implemented",
      ],
      means: "The language hosts are older than 3.259, as those of the engine that set-up brings.",
      todo: "Install Pulumi from its own page; or take [another way](from-a-clone.md#the-plugin), and `pulumi import --generate-code=false`.",
    },
    {
      id: "old-node",
      says: ["Node 22.19 or newer is needed…", "expected Node 22.19 or newer as the first `node` on PATH, got Node …"],
      means: "A checkout's plugin and dynamic resources run under the first `node` on PATH.",
      todo: "Put a newer Node first.",
    },
  ],
};

const settings: Section = {
  title: "Settings",
  about:
    "Said before anything is asked of the service. Each names the setting, its variable and a command. [All settings](installation-configuration.md#configuration).",
  at: [],
  rows: [
    {
      id: "not-configured",
      says: ["the docsign provider isn't configured: …", "docsign:baseUrl is missing…", "docsign:apiKey is missing…"],
      means: "Neither the stack's configuration nor the environment has it.",
      todo: "Run the command it prints.",
    },
    {
      id: "bad-address",
      says: ["docsign:baseUrl can't be used: …", "http:// would send the key in the clear to …"],
      means: "The address isn't one that a key can be sent to.",
      todo: "Give `https`, the host, and the path if there is one; no user, query or fragment.",
    },
    {
      id: "bad-key",
      says: ["the API key from … is empty", "the API key from … has a space, a line break…"],
      means: "The key was cut, or pasted with something around it.",
      todo: "Copy it again: `pulumi config set --secret docsign:apiKey`.",
    },
  ],
};

const EVERYWHERE = ["Folder", "Document", "SignatureGate", "Reminder", "functions"];

const inputs: Section = {
  title: "Inputs",
  about: "Said at preview, all at once. Each begins with the property. Values of secrets, and PDFs, are never shown.",
  at: ["Document"],
  rows: [
    {
      id: "bad-input",
      says: ["expected …, got …", "is required: …"],
      means: "A property is missing, or has a value it doesn't take.",
      todo: "Give what is expected. Each property's limits are in the [reference](reference/README.md).",
      at: EVERYWHERE,
    },
    {
      id: "bad-id",
      says: ["must be a positive whole number, got …", "must be 1 to 20 digits not starting with 0, got …"],
      means: "The service's ids are digits.",
      todo: "Copy it from the platform, as a string.",
      at: EVERYWHERE,
    },
    {
      id: "own-marker",
      says: ["description: expected one that doesn't end in [docsign:…]"],
      means:
        "The description ends like one that `docsign:creationMarker` wrote, which would hide the document from it.",
      todo: "Take the mark out: the provider writes its own.",
    },
    {
      id: "invited-twice",
      says: ["… invited twice in the same stage…"],
      means: "One address is mailed twice at the same time.",
      todo: "If that isn't meant, take one out, or give it another `stage`.",
      warning: true,
    },
    {
      id: "domain-without-a-dot",
      says: ["expected a domain with a dot in it…"],
      means: "An address such as `ana@example` works only inside a company's own network.",
      todo: "If that isn't meant, complete it.",
      warning: true,
    },
    {
      id: "ignore-both",
      says: [
        "the PDF is missing: the program gives none of `file`, `base64File` and `template`…",
        "`base64File` is ignored and `file` isn't…",
      ],
      means: "`ignoreChanges` names one of the two ways to give a PDF.",
      todo: 'Name both: `ignoreChanges: ["file", "base64File"]`.',
    },
    {
      id: "not-a-pdf",
      says: ["expected a PDF, got …", "expected a readable PDF file, got …"],
      means:
        "What is given isn't a PDF, or the path leads nowhere. Often it is a Git LFS pointer, or a web page that was saved.",
      todo: "Look at the path: it is relative to the program's folder. For a pointer: `git lfs pull`.",
    },
    {
      id: "remote-asset",
      says: ["expected a PDF there, got a remote asset that …"],
      means: "A remote asset is asked for over https, without credentials.",
      todo: "Give an address that anybody can read, or a file.",
    },
    {
      id: "pdf-moved",
      says: [
        "the PDF changed while it was being sent, so nothing was created…",
        "the PDF … is no longer at hand, so nothing was created…",
      ],
      means: "Something wrote to the file meanwhile.",
      todo: "Run `pulumi up` again once nothing does.",
    },
  ],
};

const service: Section = {
  title: "The service's answers",
  about:
    "Each begins with what was asked, such as `GET https://api.example.com/v1/documents/4711`. The provider repeats reads before they fail. It never repeats a create or a reminder without proof that the first did nothing.",
  at: [],
  rows: [
    {
      id: "unauthorized",
      says: ["the service doesn't accept the credentials from …"],
      means: "Status 401: the key or login isn't valid here.",
      todo: "Change the setting it names, then run `pulumi up`: refresh and destroy use the settings of the last one.",
    },
    {
      id: "login-failed",
      says: ["… with … failed: …", '… answered without a usable "…"'],
      means: "Signing in with `email` and `password` didn't lead to a key.",
      todo: "Try the login on the platform, or use `apiKey`.",
    },
    {
      id: "forbidden",
      says: ["the credentials from … aren't allowed to do this…"],
      means: "Status 403: the key is valid, for another account.",
      todo: "Use the key of the account that owns the document or folder.",
    },
    {
      id: "not-found",
      says: ["the account has nothing there…", "this isn't the service's own 'not found'…"],
      means: "Status 404: from the service, or from something else at that address.",
      todo: "Check the id and whose key it is; in the second case the address.",
    },
    {
      id: "too-many-requests",
      says: ["too many requests…", "… wasn't sent: the service asked everybody to wait until …"],
      means: "Status 429, ten times or for more than two minutes. Nothing was done.",
      todo: "Run the command again later.",
    },
    {
      id: "refused",
      says: ["the service refuses this request"],
      means: "The service made nothing. Its own words stand in brackets.",
      todo: "Change what they name.",
    },
    {
      id: "redirect",
      says: ["it redirects to …, and redirects aren't followed…"],
      means: "A redirect would take the key to another address.",
      todo: "If you trust that address, set it.",
    },
    {
      id: "log-in-page",
      says: ["what stands in between wants somebody to log in…"],
      means: "A proxy or a network's portal answered. The service got nothing.",
      todo: "Log in there, and run the command again.",
    },
    {
      id: "unreachable",
      says: [
        "the host name is unknown; …",
        "nothing listens at that address; …",
        "no connection within 10 s; …",
        "no connection could be made",
      ],
      means: "Nothing left this machine, so nothing was created.",
      todo: "Check the address, the network, the proxy.",
    },
    {
      id: "broken-connection",
      says: ["the connection broke before the answer was complete…", "no complete answer"],
      means:
        "The request left. No whole answer came, or none within `docsign:requestTimeout` (`docsign:uploadTimeout` for a create).",
      todo: "Run the command again: it looks for the document before it sends anything.",
    },
    {
      id: "unreadable",
      says: [
        "… answered … with something that can't be understood",
        "… answered … with what looks like a web page; …",
        "… answered … without the {ok, payload} envelope",
        "with something that isn't JSON (…)",
      ],
      means: "The answer isn't one of the service's.",
      todo: "Check the address, and for a proxy in between. The next run looks before it sends.",
    },
    {
      id: "unknown-outcome",
      says: ["The outcome of … is unknown: the service may have done it…"],
      means: "A write was sent and its answer was lost.",
      todo: "Read on in the message: it says what the provider found by looking.",
    },
    {
      id: "cancelled",
      says: ["it was cancelled before it was sent", "the engine gave the call up"],
      means: "Ctrl-C, or the engine, stopped a call.",
      todo: "Run the command again.",
    },
    {
      id: "file-elsewhere",
      says: ["the file lives at …, not at the service's own origin…"],
      means: "The service names a file at another address, which the key must not reach.",
      todo: "If you trust the address, download the file by hand.",
    },
    {
      id: "bug",
      says: ["this is a bug in …, please report it: …"],
      means: "The provider met what it takes for impossible.",
      todo: "Report the message. Run the command again: what was created is remembered.",
    },
    {
      id: "wrong-version",
      says: ["pulumi-docsign has no … '…'.…", "there is no package schema of version …, only 0"],
      means: "The program's SDK is of another version, or a type is misspelt.",
      todo: "Install plugin and SDK in one version, or take a name it lists.",
    },
  ],
};

const guard: Section = {
  title: "Replacing",
  about: "What is replaced, and what is refused: [when a contract changes](replace-guard.md).",
  at: ["Document", "Folder"],
  rows: [
    {
      id: "maybe-replaced",
      says: [
        "… known yet, so document … may have to be replaced…",
        "… known yet, so folder … may have to be replaced…",
      ],
      means: "A changed value comes from a resource that isn't created yet.",
      todo: "Nothing: `pulumi up` asks the service once it knows the value.",
      warning: true,
    },
    {
      id: "delete-first",
      at: ["Document"],
      says: ["`pulumi up` replaces document … only with the resource option `deleteBeforeReplace: true`: …"],
      means: "A replacement is forced (`--replace`, a taint), and the content is the same.",
      todo: "Set the resource option. If set: nothing, or import what state lost.",
      warning: true,
    },
    {
      id: "half-replaced",
      says: [
        "Document …, which the new one was to replace, is still at the service…",
        "an earlier run began to create another document in place of document …",
      ],
      means: "A replacement stopped half-way.",
      todo: "Run `pulumi up` again, with the change or without it: nobody is mailed twice.",
      at: ["Document"],
    },
  ],
};

const WRITES = ["Document", "Folder", "Reminder"];

const creating: Section = {
  title: "Creating",
  about: "What is sent, and when it is sent again: [no second mail](at-most-once.md).",
  at: ["Document"],
  rows: [
    {
      id: "wrong-folder",
      says: ["document … is in …, not in folder …"],
      means: "The service's public interface doesn't show `folderId`, and the service ignored it.",
      todo: "Move the document on the platform, or take `folderId` out of the program.",
      warning: true,
    },
    {
      id: "folder-again",
      says: [
        "an earlier run tried to create this folder and never saw the answer…",
        "an earlier run created folder … for this resource under another name…",
      ],
      means: "The service can't list folders, so the first one can't be looked for.",
      todo: "If the platform shows an empty twin, delete it.",
      warning: true,
      at: ["Folder"],
    },
    {
      id: "journal",
      says: ["… can't be used (…), and without it nothing is created…"],
      means: "The journal can't be written; the reason stands in brackets. Previews, refreshes and destroys go on.",
      todo: "Make its folder, data base or bucket usable, or choose [another place](journal.md): `docsign:journal` or `DOCSIGN_JOURNAL`.",
      at: WRITES,
    },
    {
      id: "journal-newer",
      says: [
        "expected a line this version can read, got …",
        "expected a whole …, got one that is damaged or of a newer version…",
      ],
      means: "A newer version wrote into the journal, or it is damaged.",
      todo: "Upgrade the provider, or restore the journal from a backup.",
      at: WRITES,
    },
    {
      id: "journal-foreign-line",
      says: ["… has a line that isn't the journal's…"],
      means: "Something else wrote into the journal's file. It changes nothing.",
      todo: "Find out what writes there, and remove the line.",
      warning: true,
    },
    {
      id: "journal-note",
      says: ["document … was created, and the journal can't be written…"],
      means: "State holds the document, and the journal doesn't.",
      todo: "Make the journal usable.",
      warning: true,
    },
    {
      id: "skipped-checkpoints",
      says: [
        "PULUMI_SKIP_CHECKPOINTS is set, and the journal may be gone with this machine…",
        "PULUMI_SKIP_CHECKPOINTS is set, and this run has other providers…",
      ],
      means: "The engine writes state at the end of the run only, and the journal doesn't cover that here.",
      todo: "Unset the variable; or keep the journal in Postgres or S3, and other providers' resources in another stack: [without checkpoints](bench/README.md#without-checkpoints).",
    },
  ],
};

const reading: Section = {
  title: "Refreshing, importing, deleting",
  at: ["Document"],
  rows: [
    {
      id: "kept-unseen",
      says: ["the service doesn't show document …, so state keeps what it knew…"],
      means: "The service can't delete, so the document still exists: another account's key also gets 404.",
      todo: "Check the key and the address. To let go of the document: `pulumi state delete`.",
      warning: true,
    },
    {
      id: "hash-unknown",
      says: ["the service doesn't show the hash of document …'s PDF…"],
      means: "An imported document counts as having the program's PDF.",
      todo: "Make sure that the program names the right file.",
      warning: true,
    },
    {
      id: "removed",
      says: ["document … is removed from state, not deleted…", "folder … is removed from state, not deleted…"],
      means: "The service can't delete. Open invitations stay open.",
      todo: "Delete on the platform what should be gone.",
      warning: true,
      at: ["Document", "DocumentSet", "Folder"],
    },
    {
      id: "list-note",
      says: ["the service doesn't show whether its list is complete…"],
      means: "`pulumi do docsign:Document list` shows what the service lists.",
      todo: "If you miss a document, look on the platform.",
      warning: true,
    },
    {
      id: "not-listed",
      says: ["… can't be listed…"],
      means: "The service lists documents only.",
      todo: "For those of a folder: `pulumi do docsign:Document list --folder-id ID`.",
      at: ["Folder", "SignatureGate", "Reminder"],
    },
    {
      id: "certificates-required",
      says: ["document … is still without …"],
      means: "`getCertificates` requires what isn't there yet.",
      todo: "Run again later, or wait with a [gate](people.md) or [the watcher](watch.md).",
      at: ["getCertificates"],
    },
    {
      id: "adoption",
      says: ["… isn't what the program says, so it is not taken over…"],
      means: "Dynamic resources: the option `import` names something that differs from the program.",
      todo: "Make the program say what the service holds, or leave out `import`.",
      at: ["Document", "Folder"],
    },
  ],
};

const people: Section = {
  title: "Gates and reminders",
  about: "How they work: [people](people.md).",
  at: ["SignatureGate"],
  rows: [
    {
      id: "gate-waits",
      says: ["…, and the … to wait for it are over…", "…, and asking for it failed: …"],
      means: "`mode: wait` ended first: the time was over, Ctrl-C, or the service failed five times in a row.",
      todo: "Run `pulumi up` again: it goes on waiting. For longer: `customTimeouts`.",
    },
    {
      id: "list-unread",
      says: ["… of … couldn't be read:", "couldn't be read, so nobody was reminded of it…"],
      means: "The gate stays open. The reminder reminded the people of the other documents.",
      todo: "Run `pulumi up` again once the service answers.",
      warning: true,
      at: ["SignatureGate", "Reminder"],
    },
    {
      id: "gate-kept",
      says: ["the gate is kept as it was…"],
      means: "A refresh couldn't see the gate's document.",
      todo: "Check the key and the address.",
      warning: true,
    },
    {
      id: "gate-stays",
      says: ["the gate was satisfied and stays so…"],
      means: "A signature has gone, such as after a new version on the platform.",
      todo: "Nothing, or start the gate anew with the line it prints.",
      warning: true,
    },
    {
      id: "gate-late",
      says: ["… still waits for …, and the deadline has passed…"],
      means: "The gate's `deadline` is over.",
      todo: "Set a later one, take it out, or send another contract.",
    },
    {
      id: "not-reminded",
      says: ["not everyone could be reminded", "… wasn't reminded: …", "If reminders want … at this service: …"],
      means: "A reminder was refused, or not tried. Everybody else was reminded.",
      todo: "Run `pulumi up` again: whoever was reminded isn't reminded again. If the message names a method, set it first.",
      at: ["Reminder"],
    },
    {
      id: "reminder-unknown",
      says: [
        "it isn't known whether the reminder for … went out…",
        "an earlier run was interrupted while it reminded …",
      ],
      means: "A reminder's answer was lost.",
      todo: "Nothing, or ask the person.",
      warning: true,
      at: ["Reminder"],
    },
  ],
};

const functions: Section = {
  title: "Functions and dynamic resources",
  at: ["functions"],
  rows: [
    {
      id: "not-known-yet",
      says: ["isn't known yet, so the service can't be asked"],
      means: "A function was called with a value that another resource has yet to give.",
      todo: "Use the function's `…Output` form, which waits.",
    },
    {
      id: "no-provider",
      says: ["the TypeScript SDK's resources take no `provider`…"],
      means: "Dynamic resources use the stack's settings.",
      todo: "Take a stack for each account, or [the plugin](plugin-and-dynamic-provider.md).",
      at: [],
    },
    {
      id: "constancia-not-there",
      says: ["the NOM151 certificate isn't there yet."],
      means: "`nom151Asset` was asked for a certificate that the service hasn't made.",
      todo: 'Wait with a gate (`until: "nom151"`).',
      at: [],
    },
  ],
};

const evidence: Section = {
  title: "Evidence",
  about:
    "`docsign evidence pull` and `docsign verify` print these, and `downloadEvidence` throws them: [evidence](evidence.md).",
  at: [],
  rows: [
    {
      id: "evidence-hash",
      says: ["… isn't what the service says it is: expected SHA-256 …"],
      means: "A file isn't the one that the service states the hash of.",
      todo: "Try again. If it stays so, ask the service's operator.",
    },
    {
      id: "evidence-changed",
      says: ["…, so nothing of document … was written…"],
      means: "The service gives other evidence than before. What was pulled before stays.",
      todo: "Ask the service's operator which one counts.",
    },
  ],
};

const sets: Section = {
  title: "Sets of documents",
  about:
    "A set says everything wrong with its rows at once: by line and column of a table, or by key. A row says what a Document would.",
  at: ["DocumentSet"],
  rows: [
    {
      id: "set-guard",
      says: ["… of … can't be replaced, so nothing was sent…"],
      means: "Somebody has signed the documents of these rows, or they couldn't be read.",
      todo: 'Put the rows back, or set `whenSigned: "keep"`: then the others are replaced. For a second contract beside a signed one, give the row another key.',
    },
    {
      id: "set-partly",
      says: [
        "… of … rows are done, … not. Those that are done aren't sent again…",
        "… of … rows can't be sent…",
        "the rows of the set aren't known any more…",
      ],
      means: "Some rows failed; the others are done and stay done.",
      todo: "Put right what the lines below it say, and run `pulumi up` again: nobody is mailed twice.",
    },
    {
      id: "set-reading",
      says: ["document … couldn't be read, so state keeps what it knew…"],
      means: "A refresh couldn't read a document of the set.",
      todo: "Refresh again once the service answers.",
    },
    {
      id: "set-import",
      says: ["expected each document under a key of its own…"],
      means: "Several documents have the same name, description or first person.",
      todo: "Leave out that part of the import id: documents are then keyed by their id.",
    },
    {
      id: "set-taken-over",
      says: ["the documents aren't what the program says, so they are not taken over…"],
      means: "Dynamic resources: the option `import` names documents that differ from the program.",
      todo: "Make the program say what the lines below it name, or leave out `import`.",
    },
  ],
};

const templates: Section = {
  title: "Templates",
  about:
    "`template` of a `Document` is checked at preview, and everything wrong is said at once, with the line. `renderTemplate` throws the same as `TemplateError`. Most say what is expected; these take more: [templates](templates.md).",
  at: [],
  rows: [
    {
      id: "template-variables",
      says: [
        "{{…}} has no value in …",
        "… has no variable",
        "variable … isn't used by the template",
        "{{…}}: expected text, got a list…",
      ],
      means: "The template's places and the program's variables don't fit together.",
      todo: "Give each place its variable, and no variable without a place.",
    },
    {
      id: "template-parts",
      says: [
        "{{#… …}} isn't closed by {{/…}}",
        "expected a file inside the project's folder, got one outside",
        "can't be read (…)",
      ],
      means: "A clause or an image isn't there, or a part isn't closed.",
      todo: "Paths begin at the folder of the file they stand in.",
    },
    {
      id: "template-markdown",
      says: ["… can't be printed…"],
      means: "The Markdown has something a contract can't show.",
      todo: "Say it in text, lists and tables.",
    },
    {
      id: "template-fonts",
      says: ["no font has …"],
      means: "The fonts that come along lack a character.",
      todo: "Add a font with `fonts`.",
    },
    {
      id: "template-form",
      says: [
        "expected a PDF form with AcroForm fields only, got an XFA form",
        "the form is signed already…",
        "field …: the text (… characters) doesn't fit…",
      ],
      means: "The PDF form, or a value for one of its fields, can't be used.",
      todo: "Change the form, or the value.",
    },
  ],
};

const watch: Section = {
  title: "`docsign watch`",
  at: [],
  rows: [
    {
      id: "watch-alone",
      says: ["expected to be the only watcher of its memory…", "another watcher took over: …"],
      means: "Two watchers have one memory.",
      todo: "Stop one, or give it a `memory` of its own.",
    },
    {
      id: "watch-untold",
      says: ["not all could be told: …", "… couldn't be woken, and is tried again: …"],
      means: "A document couldn't be read, or a chat or a command failed. Nothing is forgotten.",
      todo: "Run it again.",
    },
  ],
};

/** Everything a user can meet, in the order they are likely to. */
export const errors: readonly Section[] = [
  installation,
  settings,
  inputs,
  service,
  guard,
  creating,
  reading,
  people,
  functions,
  sets,
  templates,
  evidence,
  watch,
];

// ---- The page ----

const FILLED_IN = "`…` stands for what is filled in.";
const CAUSES_TITLE = "Errors with a name";
const causes = Object.entries(CAUSES);

/** A heading for each named cause, and a table for each other kind of message. */
export function errorsPage(): string {
  return page([
    "# Errors and warnings",
    "Look up what a message means and what to do. A message that says both itself isn't here: do what it says. One whose first line ends in a name, such as `[docsign/duplicate]`, has a heading of that name; the lines below say what was found, and print the commands.",
    [CAUSES_TITLE, ...errors.map(({ title }) => title)].map(title => `[${title}](#${anchorOf(title)})`).join(" · "),
    `## ${CAUSES_TITLE}`,
    ...causes.flatMap(([name, { means, todo }]) => [`### docsign/${name}`, means, `**What to do:** ${todo}`]),
    "## Other messages",
    FILLED_IN,
    ...errors.flatMap(({ title, about, rows }) => [
      `## ${title}`,
      ...(about === undefined ? [] : [about]),
      table(rows.map(rowOf)),
    ]),
  ]);
}

const rowOf = ({ id, says, means, todo, warning }: ErrorRow) => ({
  message: `<a id="${id}"></a>${warning ? "warning: " : ""}${says.map(text => cell(code(text))).join("<br>")}`,
  "what it means": cell(means),
  "what to do": cell(todo),
});

const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");

/** The errors of a resource or function, as links to the page. */
export function errorsOf(name: string, kind: "resource" | "function"): string[] {
  const named = causes
    .filter(([, { at }]) => kind === "resource" && (at as readonly string[]).includes(name))
    .map(([cause, { means }]) => `- [\`docsign/${cause}\`](../../errors.md#${anchorOf(`docsign/${cause}`)}). ${means}`);
  const isOf = ({ at: everywhere }: Section, { at = everywhere }: ErrorRow) =>
    at.includes(name) || (kind === "function" && at.includes("functions"));
  const rows = errors.flatMap(section => section.rows.filter(row => isOf(section, row)));
  const others = rows.map(
    ({ id, says: [first = ""], means, warning }) =>
      `- ${warning ? "warning: " : ""}[${code(first)}](../../errors.md#${id}). ${means}`,
  );
  return [
    `Besides the errors of [settings](../../errors.md#settings) and of [the service's answers](../../errors.md#the-services-answers). ${FILLED_IN}`,
    [...named, ...others].join("\n"),
  ];
}
