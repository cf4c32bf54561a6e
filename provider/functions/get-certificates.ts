import { certificatesOf, latestFile, nom151Of } from "../resources/document/document-state.js";
import { idText } from "./arguments.js";
import { getCertificatesDeclaration } from "./get-certificates-declaration.js";
import { present } from "./omit-nil.js";
import { readFunction } from "./read-function.js";

export const getCertificates = readFunction(getCertificatesDeclaration, {
  async answer(service, { documentId }, ask) {
    const body = await service.getDocument(idText(documentId), ask);
    const latest = latestFile(body);
    return present({
      documentId: body.id,
      certificates: certificatesOf(latest, service.baseUrl),
      nom151: nom151Of(body.id, latest),
      signedSha256: latest?.sha256SignedFile,
    });
  },
});
