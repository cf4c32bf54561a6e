import { z } from "zod";
import type { FunctionDeclaration } from "../../kit/property.js";
import { documentsIn, listedDocuments, listedRow } from "./documents-in-range.js";
import { placeArguments, placeFrom, readFunction, statusArgument } from "./read-function.js";

const declaration = {
  token: "docsign:index:getDocuments",
  description: `The documents the key can see, of one folder or organization where asked for. The service doesn't show whether its list
is cut into pages: \`truncated\` says what is known of that.`,
  inputs: z.object({ ...placeArguments, status: statusArgument }),
  outputs: listedDocuments,
} satisfies FunctionDeclaration;

export const getDocuments = readFunction(declaration, {
  async answer(service, { status, ...args }, ask) {
    const { documents, truncated } = await documentsIn(service, placeFrom(args), ask);
    const wanted = documents.filter(document => status === undefined || document.status === status);
    return { documents: wanted.map(listedRow), truncated };
  },
});
