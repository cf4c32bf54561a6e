import { placeFrom } from "./arguments.js";
import { getDocumentsDeclaration } from "./get-documents-declaration.js";
import { documentsIn, listedRow } from "./listed-document.js";
import { readFunction } from "./read-function.js";

export const getDocuments = readFunction(getDocumentsDeclaration, {
  async answer(service, args, ask) {
    const documents = await documentsIn(service, placeFrom(args), ask);
    return { documents: documents.map(listedRow) };
  },
});
