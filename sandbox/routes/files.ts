import type { FileRecord } from "../entities.js";
import { makePdf } from "../pdf.js";
import { notFound } from "../refusal.js";
import { signedContent } from "../signing.js";
import { authenticated, type Call, ELSEWHERE, pdf, type Route, redirected } from "./route.js";

function download(call: Call, bytesOf: (file: FileRecord) => Buffer | undefined) {
  const { filesNeedKey, downloads } = call.context.settings;
  if (downloads === "never") throw notFound("The file");
  if (filesNeedKey) authenticated(call);
  const file = call.context.store.files.find(one => one.token === call.parameter);
  const bytes = file && bytesOf(file);
  if (!bytes) throw notFound("The file");
  return pdf(bytes);
}

export const storageRoutes: readonly Route[] = [
  {
    name: "originalPdf",
    methods: ["GET"],
    path: /^\/storage\/([^/]+)\/original\.pdf$/,
    handle: call => download(call, file => call.context.store.pdfs.get(file.sha256)),
  },
  {
    name: "signedPdf",
    methods: ["GET"],
    path: /^\/storage\/([^/]+)\/signed\.pdf$/,
    handle: call =>
      download(call, file => (file.signedEndedAt === null ? undefined : signedContent(call.context, file))),
  },
];

// ---- Certificates ----

function certificate(call: Call, chain: "Bitcoin" | "Ethereum") {
  const { certificatesNeedKey, downloads } = call.context.settings;
  if (downloads === "never") throw notFound("The certificate");
  if (downloads === "elsewhere") return redirected(`${ELSEWHERE}/timestamps/${call.parameter}.pdf`);
  if (certificatesNeedKey) authenticated(call);
  const file = call.context.store.files.find(
    one => one.signedSha256 === call.parameter && one.xmlBtcCert !== null && one.xmlEthCert !== null,
  );
  if (!file) throw notFound("The certificate");
  return pdf(certificatePdf(file, chain));
}

export const certificatePdf = (file: FileRecord, chain: "Bitcoin" | "Ethereum") =>
  makePdf([`${chain} timestamp certificate`, `sha256 of the signed file: ${file.signedSha256}`]);

export const timestampRoutes: readonly Route[] = [
  {
    name: "btcCertificate",
    methods: ["GET"],
    path: /^\/v3\/timestamps\/([^/]+)\.pdf$/,
    handle: call => certificate(call, "Bitcoin"),
  },
  {
    name: "ethCertificate",
    methods: ["GET"],
    path: /^\/v3\/timestamps\/eth\/([^/]+)\.pdf$/,
    handle: call => certificate(call, "Ethereum"),
  },
];
