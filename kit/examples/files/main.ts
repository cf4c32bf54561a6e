import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { defineConfiguration, defineFunction, defineProvider, defineResource, property, serve } from "../../index.js";

const configuration = defineConfiguration({
  inputs: z.object({ folder: property(z.string(), { description: "Folder of the files.", env: ["FILES_FOLDER"] }) }),
  open: ({ folder }) => ({ at: (name: string) => join(folder, name), folder }),
});

const name = property(z.string().regex(/^[\w-][\w.-]*$/, { error: "a file's name" }), {
  description: "Name of the file. Left out, the resource's own and a few letters.",
  replaces: true,
  autoname: true,
});
const content = property(z.string({ error: "text" }), { description: "What the file says." });
const sha256 = property(z.string(), { description: "Hash of the content.", derivedFrom: ["content"] });

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");

const file = defineResource({
  token: "files:index:File",
  description: "A text file.",
  configuration,
  inputs: z.object({ name, content }),
  outputs: z.object({ name, content, sha256 }),
  async create({ inputs, context }) {
    await mkdir(dirname(context.at(inputs.name)), { recursive: true });
    await writeFile(context.at(inputs.name), inputs.content, { flag: "wx" });
    return { id: inputs.name, outputs: { ...inputs, sha256: hashOf(inputs.content) } };
  },
  async read({ id, context }) {
    const content = await readFile(context.at(id), "utf8").catch(() => undefined);
    if (content === undefined) return undefined;
    return { inputs: { name: id, content }, outputs: { name: id, content, sha256: hashOf(content) } };
  },
  async update({ id, inputs, context }) {
    await writeFile(context.at(id), inputs.content);
    return { outputs: { ...inputs, sha256: hashOf(inputs.content) } };
  },
  delete: ({ id, context }) => rm(context.at(id), { force: true }),
  listInputs: z.object({}),
  list: async ({ context }) => (await readdir(context.folder)).map(id => ({ id, name: id })),
});

const count = defineFunction({
  token: "files:index:count",
  description: "How many files there are.",
  configuration,
  inputs: z.object({}),
  outputs: z.object({ files: property(z.number().int(), { description: "Number of files." }) }),
  answer: async ({ context }) => ({ files: (await readdir(context.folder)).length }),
});

void serve(defineProvider({ name: "files", version: "0.1.0", configuration, resources: [file], functions: [count] }));
