import { placeFrom } from "./arguments.js";
import { getDocumentsDeclaration } from "./get-documents-declaration.js";
import { documentsIn, listedRow } from "./listed-document.js";
import { readFunction } from "./read-function.js";

export const getDocuments = readFunction(getDocumentsDeclaration, {
  async answer(service, { status, ...args }, ask) {
    const { documents, truncated } = await documentsIn(service, placeFrom(args), ask);
    const wanted = documents.filter(document => status === undefined || document.status === status);
    return { documents: wanted.map(listedRow), truncated };
  },
});
