import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

/** The longest prefix of a file's path that is listed here is its layer. */
const LAYERS: Record<string, { ours: string[]; packages: string[]; because: string }> = {
  "provider/core": {
    ours: ["kit/text.ts", "kit/records.ts"],
    packages: [],
    because: "everybody uses it, so it uses nobody",
  },
  "provider/schema": {
    ours: ["kit", "provider/core"],
    packages: ["zod"],
    because: "schema is the vocabulary everyone else speaks, so it can't know any of them",
  },
  "provider/client": {
    ours: ["kit/records.ts", "provider/core"],
    packages: ["undici", "zod"],
    because: "the client speaks HTTP and nothing else; what an answer means for state is decided in resources",
  },
  "provider/resources": {
    ours: [
      "kit",
      "provider/core",
      "provider/resources/journal",
      "provider/schema",
      "provider/client",
      "sdk/templates/parts.ts",
      "sdk/templates/source.ts",
      "sdk/templates/variables.ts",
    ],
    packages: ["zod", "csv-parse"],
    because: "a resource is a rule in plain objects: the same behind gRPC and behind the dynamic SDK",
  },
  "provider/resources/journal": {
    ours: ["kit/records.ts", "kit/resource.ts", "provider/core", "provider/resources", "provider/schema"],
    packages: ["zod", "postgres", "@aws-sdk/client-s3"],
    because: "a journal is kept where its settings say, and knows nothing of the service",
  },
  "provider/evidence": {
    ours: ["kit/records.ts", "provider/core", "provider/client"],
    packages: ["pkijs", "asn1js", "zod"],
    because: "evidence is read through the client and written to files; no resource depends on it",
  },
  "provider/limits": {
    ours: [
      "provider/core",
      "provider/client",
      "provider/config.ts",
      "provider/resources/journal/postgres-connection.ts",
    ],
    packages: ["postgres"],
    because: "what a fleet's processes share of an account's limits is kept in Postgres; pacing stays the client's",
  },
  "provider/functions": {
    ours: ["kit", "provider/core", "provider/evidence", "provider/resources", "provider/schema", "provider/client"],
    packages: ["zod"],
    because: "functions read what resources manage, in the same plain objects",
  },
  kit: {
    ours: [],
    packages: ["zod"],
    because: "the kit is a package of its own, for any provider: it knows no signing service",
  },
  "provider/registry.ts": {
    ours: ["provider/core", "provider/resources", "provider/functions", "provider/schema"],
    packages: ["zod"],
    because: "the registry lists what exists: type tokens and function tokens",
  },
  "provider/config.ts": {
    ours: ["kit", "provider/core", "provider/schema", "provider/client"],
    packages: ["zod"],
    because: "configuration decides settings, and builds nothing but the client from them",
  },
  "provider/template-renderer.ts": {
    ours: ["provider/core", "provider/resources", "sdk/templates/render.ts", "sdk/templates/render-thread.ts"],
    packages: [],
    because: "one file loads the renderer's bundle, here or in a thread, when a template is first used",
  },
  provider: {
    ours: ["kit", "provider"],
    packages: ["zod"],
    because: "main and its neighbours assemble the layers; libraries are used inside the layers",
  },
  "scripts/docgen": {
    ours: ["kit", "provider"],
    packages: ["zod"],
    because: "the generators read the declarations; the plugin never loads them",
  },
  sdk: {
    ours: ["kit", "provider"],
    packages: ["@pulumi/pulumi"],
    because: "the SDK is a thin shim over the provider's rules, and carries no gRPC and no HTTP of its own",
  },
  "sdk/templates": {
    ours: [],
    packages: ["@pulumi/pulumi", "@cantoo/pdf-lib", "fontkit", "marked"],
    because: "a template is bytes in, bytes out: it knows no service, and nobody else loads what it prints with",
  },
  "sdk/evidence": {
    ours: ["provider/client", "provider/evidence", "provider/runtime.ts", "provider/processes.ts"],
    packages: ["@pulumi/pulumi"],
    because: "for scripts: settings from the stack or the environment, and the provider's own collecting",
  },
  "commands/engine-words.ts": {
    ours: ["provider/schema/facts.ts"],
    packages: [],
    because: "what Pulumi says in words is read in one place",
  },
  "commands/stack-documents.ts": {
    ours: ["provider/schema/facts.ts"],
    packages: [],
    because: "which documents a stack's state holds is read in one place",
  },
  "commands/gate-status": {
    ours: [
      "commands/cli/flags.ts",
      "commands/engine-words.ts",
      "kit/text.ts",
      "provider/core/private-folder.ts",
      "provider/schema/facts.ts",
    ],
    packages: [],
    because: "it reads what the engine says of a run, and asks nobody else",
  },
  "commands/watch": {
    ours: [
      "commands/board/documents.ts",
      "commands/board/state.ts",
      "commands/cli/flags.ts",
      "commands/cli/folder.ts",
      "commands/stack-documents.ts",
      "provider/core",
      "provider/client",
      "provider/config.ts",
      "provider/resources/journal/contract.ts",
      "provider/resources/signature-gate/declaration.ts",
      "provider/resources/signers.ts",
      "provider/runtime.ts",
      "scripts/setup/lock.mjs",
    ],
    packages: ["zod"],
    because: "the watcher reads through the client and starts programs; it writes nothing to the service",
  },
  "sdk/policy": {
    ours: [],
    packages: ["@pulumi/policy"],
    because: "a policy sees a program's resources only: it asks no service and shares no rule with the provider",
  },
  "commands/ui": {
    ours: [],
    packages: [],
    because: "the look of both pages is markup and text: it knows neither contracts nor the service",
  },
  "sandbox/page/browser": {
    ours: ["commands/ui/browser"],
    packages: ["idiomorph"],
    because: "what runs in a browser has only what browsers have",
  },
  "commands/board/browser": {
    ours: ["commands/ui/browser"],
    packages: [],
    because: "the board's script is put into every page, so it brings nothing along",
  },
  "commands/cli/flags.ts": {
    ours: ["kit/text.ts"],
    packages: [],
    because: "every command reads its flags with it, the sandbox too, which shares nothing but words with us",
  },
  "commands/cli/folder.ts": {
    ours: ["commands/cli/flags.ts", "provider/core"],
    packages: [],
    because: "each command makes the folders that a person names with it, in the provider's own way",
  },
  "commands/board": {
    ours: [
      "commands/board/review",
      "commands/cli/flags.ts",
      "commands/engine-words.ts",
      "commands/ui",
      "kit/peers.ts",
      "kit/records.ts",
      "kit/text.ts",
      "provider/core/same.ts",
      "provider/core/text.ts",
      "provider/schema/facts.ts",
      "provider/schema/types.ts",
    ],
    packages: ["zod"],
    because:
      "the board reads state as the engine writes it, and parses it by itself; facts it reads as the provider writes them, and it asks who calls as the plugin does",
  },
  "commands/redline": {
    ours: [],
    packages: ["unpdf"],
    because: "the board and the sandbox compare texts with it, and the sandbox knows nobody else of us",
  },
  "commands/board/review": {
    ours: [
      "commands/redline",
      "provider/resources/pdf/asset-source.ts",
      "kit/values.ts",
      "commands/board",
      "commands/cli/flags.ts",
      "commands/cli/folder.ts",
      "kit/records.ts",
      "provider/core/same.ts",
      "provider/core/turns.ts",
      "provider/resources/document-set/rows.ts",
      "provider/resources/document-set/table.ts",
      "provider/schema",
      "sdk/templates/parts.ts",
      "sdk/templates/source.ts",
      "sdk/templates/render.ts",
      "sdk/templates/variables.ts",
      "commands/ui",
    ],
    packages: ["zod"],
    because: "a review renders what the provider would, from the files in git, and asks the service nothing",
  },
  "commands/fleet": {
    ours: [
      "kit/records.ts",
      "commands/board",
      "commands/cli/flags.ts",
      "commands/cli/folder.ts",
      "commands/engine-words.ts",
      "commands/gate-status",
      "provider/core",
      "provider/config.ts",
      "provider/processes.ts",
      "provider/resources/document-set/table.ts",
      "provider/resources/journal/postgres-connection.ts",
      "provider/schema/types.ts",
      "provider/schema/facts.ts",
      "scripts/setup/lock.mjs",
    ],
    packages: ["@pulumi/pulumi/automation", "pg-boss", "postgres", "yaml", "zod"],
    because: "a fleet starts engines and asks the service nothing: what is sent is the provider's to decide",
  },
  "commands/cli": {
    ours: [
      "commands/board",
      "commands/cli/flags.ts",
      "commands/cli/folder.ts",
      "commands/stack-documents.ts",
      "commands/fleet/flags.ts",
      "commands/gate-status/command.ts",
      "sandbox/flag-table.ts",
      "commands/watch/flags.ts",
      "provider/client",
      "provider/config.ts",
      "provider/core",
      "provider/evidence",
      "provider/functions",
      "provider/resources/document/content.ts",
      "provider/resources/document-set",
      "provider/resources/journal",
      "provider/resources/resource.ts",
      "provider/runtime.ts",
      "kit/values.ts",
      "scripts/setup/lock.mjs",
      "sdk/templates/parts.ts",
      "sdk/templates/render.ts",
      "sdk/templates/source.ts",
      "sdk/templates/variables.ts",
      "commands/ui",
    ],
    packages: [],
    because: "a person's commands read and write what the provider does, by its own means",
  },
  conformance: {
    ours: [],
    packages: ["@grpc/grpc-js", "@pulumi/pulumi/proto", "google-protobuf", "zod"],
    because: "it judges any provider, ours among them: what it shared with us it couldn't judge",
  },
  sandbox: {
    ours: ["commands/cli/flags.ts", "commands/redline", "commands/ui", "kit/records.ts", "kit/text.ts"],
    packages: [],
    because: "the sandbox is the other party: sharing code with us, it would share our misunderstandings",
  },
};

/** Names that only a few files may say. A path ending in / is a folder. */
const RESERVED: { says: string; only: string[]; because: string }[] = [
  {
    says: "process.env",
    only: [
      "kit/define-provider.ts",
      "provider/main.ts",
      "provider/config.ts",
      "sdk/dynamic/",
      "sdk/evidence/index.ts",
      "commands/gate-status/cli.ts",
      "commands/watch/cli.ts",
      "commands/fleet/cli.ts",
      "commands/cli/main.ts",
      "conformance/",
      "sandbox/",
    ],
    because: "settings are read once, in one place, and handed down",
  },
  {
    says: "process.argv",
    only: [
      "kit/serve.ts",
      "provider/main.ts",
      "provider/config.ts",
      "sdk/dynamic/engine-process.ts",
      "commands/gate-status/cli.ts",
      "commands/watch/cli.ts",
      "commands/board/cli.ts",
      "commands/fleet/cli.ts",
      "commands/cli/main.ts",
      "conformance/main.ts",
      "sandbox/",
    ],
    because: "only what is started as a program has arguments",
  },
  {
    says: "console.log",
    only: ["sandbox/"],
    because: "stdout carries the port to the engine: one stray line kills the plugin",
  },
];

interface Usage {
  imports: string[];
  names: string[];
}

/** What a file imports, and the dotted names it says. Comments and strings don't count. */
function read(text: string): Usage {
  const said: Usage = { imports: [], names: [] };
  const visit = (node: ts.Node): void => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier) {
      if (ts.isStringLiteral(node.moduleSpecifier)) said.imports.push(node.moduleSpecifier.text);
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) said.imports.push(node.argument.literal.text);
    } else if (ts.isCallExpression(node)) {
      const [argument] = node.arguments;
      const loads = node.expression.kind === ts.SyntaxKind.ImportKeyword || node.expression.getText() === "require";
      if (loads && argument && ts.isStringLiteral(argument)) said.imports.push(argument.text);
    } else if (ts.isPropertyAccessExpression(node) && ts.isIdentifier(node.expression)) {
      said.names.push(`${node.expression.text}.${node.name.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("file.ts", text, ts.ScriptTarget.Latest, true));
  return said;
}

/** What is wrong with a file, one sentence each: the file, what it says, the rule, and why there is one. */
function violations(file: string, text: string): string[] {
  const { imports, names } = read(text);
  const layer = layerOf(file);
  if (!layer) return [`${file} is in no layer; add it to LAYERS, with a reason`];
  const { ours, packages, because } = LAYERS[layer] ?? { ours: [], packages: [], because: "" };

  const wrongImports = imports.filter(specifier => {
    if (specifier.startsWith("node:")) return false;
    if (!specifier.startsWith(".")) return !packages.some(name => isUnder(specifier, name));
    const target = posix.join(dirname(file), specifier);
    if (layerOf(target.replace(/\.js$/, ".ts")) === layer) return false;
    return !ours.some(name => isUnder(target.replace(/\.js$/, ".ts"), name));
  });
  const wrongNames = RESERVED.filter(
    ({ says, only }) =>
      names.includes(says) && !only.some(path => (path.endsWith("/") ? file.startsWith(path) : file === path)),
  );
  const allowed = [...ours, ...packages].join(", ") || "nothing but Node's own modules";
  return [
    ...wrongImports.map(specifier => `${file} imports "${specifier}", but ${layer} may import ${allowed}: ${because}`),
    ...wrongNames.map(
      ({ says, only, because: why }) => `${file} says ${says}, but only ${only.join(", ")} may: ${why}`,
    ),
  ];
}

function layerOf(file: string): string | undefined {
  return Object.keys(LAYERS)
    .filter(name => isUnder(file, name))
    .sort((a, b) => b.length - a.length)[0];
}

function isUnder(path: string, name: string): boolean {
  return path === name || path.startsWith(`${name}/`);
}

const root = fileURLToPath(new URL("..", import.meta.url));

function sources(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map(path => posix.join(folder, path.replaceAll("\\", "/")))
    .filter(path => path.endsWith(".ts"));
}

describe("imports point one way", () => {
  for (const folder of ["kit", "provider", "sdk", "sandbox", "commands", "scripts/docgen", "conformance"]) {
    it(`in ${folder}/`, () => {
      const found = sources(folder).flatMap(file => violations(file, readFileSync(join(root, file), "utf8")));
      expect(found.join("\n")).toBe("");
    });
  }

  it("nobody but tests, benchmarks and its launcher imports the sandbox", () => {
    const message = violations("provider/main.ts", `import { startSandbox } from "../sandbox/index.js";`).join();
    expect(message).toContain(`provider/main.ts imports "../sandbox/index.js"`);
    expect(violations("sdk/index.ts", `export { startSandbox } from "../sandbox/index.js";`)).toHaveLength(1);
  });
});

describe("the check itself", () => {
  it("names the file, the import, the rule and the reason", () => {
    expect(violations("provider/client/documents.ts", `import type { Folder } from "../resources/folder.js";`)).toEqual(
      [
        'provider/client/documents.ts imports "../resources/folder.js", but provider/client may import kit/records.ts, provider/core, undici, zod: ' +
          "the client speaks HTTP and nothing else; what an answer means for state is decided in resources",
      ],
    );
  });

  it.each([
    ["the server calls the client", "kit/server.ts", `import { request } from "../provider/client/http.js";`],
    ["HTTP outside the client", "provider/resources/document.ts", `import { request } from "undici";`],
    ["gRPC's library in the plugin", "kit/server.ts", `import { Server } from "@grpc/grpc-js";`],
    ["the Pulumi SDK in the plugin", "kit/server.ts", `import * as pulumi from "@pulumi/pulumi";`],
    ["the schema knows a resource", "kit/check.ts", `export * from "../provider/resources/folder.js";`],
    ["the sandbox shares our parser", "sandbox/store.ts", `import { z } from "zod";`],
    ["the sandbox borrows from the client", "sandbox/store.ts", `import { Id } from "../provider/client/bodies.js";`],
    ["a lazy import", "provider/client/http.ts", `const late = () => import("../../kit/serve.js");`],
    ["a type import", "provider/client/http.ts", `type Late = import("../../kit/serve.js").Late;`],
    ["a require", "provider/client/http.ts", `const late = require("../../kit/serve.js");`],
    ["settings read below config", "provider/client/http.ts", `const key = process.env["DOCSIGN_API_KEY"];`],
    ["a line on stdout", "kit/server.ts", `console.log("ready");`],
  ])("catches: %s", (_, file, text) => {
    expect(violations(file, text)).toHaveLength(1);
  });

  it.each([
    ["an import within the layer", "provider/client/documents.ts", `import { send } from "./http.js";`],
    [
      "an import from a folder inside the layer",
      "provider/resources/document/read.ts",
      `import { a } from "../pdf/b.js";`,
    ],
    ["Node's own modules", "sandbox/server.ts", `import { createServer } from "node:http";`],
    ["a name inside a comment or a string", "provider/client/http.ts", `// console.log\nconst help = "process.env";`],
  ])("lets pass: %s", (_, file, text) => {
    expect(violations(file, text)).toEqual([]);
  });
});
