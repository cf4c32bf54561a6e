import { idText, placeFrom } from "./arguments.js";
import { getUnmanagedDocumentsDeclaration } from "./get-unmanaged-documents-declaration.js";
import { documentsIn, listedRow } from "./listed-document.js";
import { readFunction } from "./read-function.js";

export const getUnmanagedDocuments = readFunction(getUnmanagedDocumentsDeclaration, {
  async answer(service, { managedIds, supersededIds = [], ...args }, ask) {
    const managed = new Set([...managedIds, ...supersededIds].map(idText));
    const { documents, truncated } = await documentsIn(service, placeFrom(args), ask);
    return { documents: documents.filter(({ id }) => !managed.has(id)).map(listedRow), truncated };
  },
});
