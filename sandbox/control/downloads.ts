import type { SandboxContext } from "../context.js";
import type { FileRecord } from "../entities.js";
import { certificatePdf } from "../routes/files.js";
import { idFrom, pdf, type RouteResponse } from "../routes/route.js";
import { signedContent } from "../signing.js";

/** What can be downloaded of a version. Looking from here leaves no request in the history, and needs no key. */
export const downloads: Readonly<
  Record<string, (context: SandboxContext, file: FileRecord) => RouteResponse | undefined>
> = {
  "original.pdf": (context, file) => asPdf(context.content.get(file.sha256)),
  "signed.pdf": (context, file) => (file.signedEndedAt === null ? undefined : asPdf(signedContent(context, file))),
  "btc.pdf": (_, file) => (file.xmlBtcCert === null ? undefined : asPdf(certificatePdf(file, "Bitcoin"))),
  "eth.pdf": (_, file) => (file.xmlEthCert === null ? undefined : asPdf(certificatePdf(file, "Ethereum"))),
  "constancia.asn1": (_, file) =>
    file.constancia === null
      ? undefined
      : {
          status: 200,
          headers: {
            "Content-Type": "application/octet-stream",
            "Content-Disposition": `attachment; filename="document-${file.documentId}-v${file.version}.asn1"`,
          },
          body: Buffer.from(file.constancia, "base64"),
        },
};

export function downloadOf(
  context: SandboxContext,
  [id = "", name = ""]: readonly string[],
): RouteResponse | undefined {
  const file = context.store.files.find(one => one.id === idFrom(id));
  const make = Object.hasOwn(downloads, name) ? downloads[name] : undefined;
  const answer = file && make?.(context, file);
  return (
    answer && {
      ...answer,
      headers: { ...answer.headers, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" },
    }
  );
}

const asPdf = (bytes: Buffer | undefined): RouteResponse | undefined => bytes && pdf(bytes);
