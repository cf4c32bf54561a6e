import type { FileRecord } from "../entities.js";
import { notFound } from "../refusal.js";
import { type Answer, idFrom, pdf } from "../routes/route.js";
import { certificatePdf } from "../routes/timestamps.js";
import { signedContent } from "../signing.js";
import type { World } from "../world.js";

/** What can be downloaded of a version. Looking from here leaves no request in the history, and needs no key. */
export const downloads: Readonly<Record<string, (world: World, file: FileRecord) => Answer | undefined>> = {
  "original.pdf": (world, file) => asPdf(world.content.get(file.sha256)),
  "signed.pdf": (world, file) => (file.signedEndedAt === null ? undefined : asPdf(signedContent(world, file))),
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

export function downloadOf(world: World, [id = "", name = ""]: readonly string[]): Answer {
  const file = world.store.files.find(one => one.id === idFrom(id));
  const make = Object.hasOwn(downloads, name) ? downloads[name] : undefined;
  const answer = file && make?.(world, file);
  if (!answer) throw notFound(`${name} of version ${id}`);
  return {
    ...answer,
    headers: { ...answer.headers, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" },
  };
}

const asPdf = (bytes: Buffer | undefined): Answer | undefined => bytes && pdf(bytes);
