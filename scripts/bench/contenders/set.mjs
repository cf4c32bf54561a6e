// One DocumentSet in YAML: of PDFs by path, or of a table and a template.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { head, openStack } from "./pulumi.mjs";

const phases = ["up", "preview", "refresh", "addedPreview", "added"];

/** `write(program, context, count)` writes the program for so many rows. */
const setOf = write => ({
  phases,
  async open(context) {
    const { count } = context.cell;
    const program = join(context.folder, "program");
    const stack = await openStack(context, () => write(program, context, count));
    return {
      ...stack,
      command(phase) {
        if (phase === "addedPreview") write(program, context, count + 1);
        return stack.command(phase);
      },
    };
  },
});

const save = (program, { kit }, properties) => {
  const resources = { contracts: { type: "docsign:DocumentSet", properties } };
  // JSON is YAML.
  writeFileSync(join(program, "Pulumi.yaml"), JSON.stringify({ ...head("yaml", kit.plugin), resources }, null, 1));
};

/** The same program with a provider that does nothing. */
export const engineAlone = contender => ({
  ...contender,
  open: context => contender.open({ ...context, kit: { ...context.kit, plugin: context.kit.idle } }),
});

/** A row that is added has the first one's PDF. */
export const setOfPdfs = setOf((program, context, count) => {
  const { pdfs, cell } = context;
  const row = i => ({ name: `Contract ${i}`, file: { "fn::fileAsset": join(pdfs.folder, `${i % cell.count}.pdf`) } });
  const documents = Object.fromEntries(Array.from({ length: count }, (_, i) => [`contract-${i}`, row(i)]));
  save(program, context, { documents, defaults: { invitations: [{ email: "ana@example.com", name: "Ana Torres" }] } });
});

const CLAUSE =
  "The receiving party keeps what it learns to itself, uses it for the project alone, and shows it to those alone who need it for that. ";
const TEMPLATE = `# Agreement\n\nBetween **Example Inc.** and **{{name}}**.\n\n${Array.from({ length: 22 }, (_, i) => `${i + 1}. ${CLAUSE.repeat(2)}`).join("\n")}\n\n\`\`\`signatures\n{{name}}\n\`\`\`\n`;

/** A row for each person, in a table. */
const ofTable = pdf =>
  setOf((program, context, count) => {
    const lines = Array.from({ length: count }, (_, i) => `person${i}@example.com,Person ${i}\n`);
    writeFileSync(join(program, "people.csv"), `email,name\n${lines.join("")}`);
    const invitations = [{ email: "{{email}}", name: "{{name}}" }];
    save(program, context, {
      table: { "fn::fileAsset": "./people.csv" },
      key: "{{email}}",
      defaults: { name: "Agreement with {{name}}", invitations, ...pdf(program, context) },
    });
  });

export const setOfTemplate = ofTable(program => {
  writeFileSync(join(program, "contract.md"), TEMPLATE);
  return { template: { "fn::fileAsset": "./contract.md" }, variables: { name: "{{name}}" } };
});

/** The same PDF for everyone. */
export const setOfOnePdf = ofTable((_, { pdfs }) => ({ file: { "fn::fileAsset": join(pdfs.folder, "0.pdf") } }));
