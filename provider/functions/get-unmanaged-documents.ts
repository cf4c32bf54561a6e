import { z } from "zod";
import { type FunctionDeclaration, property } from "../../kit/property.js";
import { idInput } from "../schema/types.js";
import { documentsIn, listedDocuments, listedRow } from "./documents-in-range.js";
import { idText, placeArguments, placeFrom, readFunction } from "./read-function.js";

const declaration = {
  token: "docsign:index:getUnmanagedDocuments",
  description: `The documents that nobody manages: those the service lists, without those in \`managedIds\`. A function can't see state, so
the program says what it manages: its documents' \`documentId\`, and their \`supersedes\` where replaced ones count as managed.`,
  inputs: z.object({
    managedIds: property(z.array(idInput("a document's id"), { error: "a list of documents' ids" }), {
      description: "Ids of the documents to leave out.",
    }),
    supersededIds: property(z.array(idInput("a document's id"), { error: "a list of documents' ids" }).optional(), {
      description: "Ids of documents that managed ones replaced (their `supersedes`), to leave out as well.",
    }),
    ...placeArguments,
  }),
  outputs: listedDocuments,
} satisfies FunctionDeclaration;

export const getUnmanagedDocuments = readFunction(declaration, {
  async answer(service, { managedIds, supersededIds = [], ...args }, ask) {
    const managed = new Set([...managedIds, ...supersededIds].map(idText));
    const { documents, truncated } = await documentsIn(service, placeFrom(args), ask);
    return { documents: documents.filter(({ id }) => !managed.has(id)).map(listedRow), truncated };
  },
});
