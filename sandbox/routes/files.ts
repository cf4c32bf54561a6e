import type { SandboxContext } from "../context.js";
import type { FileRecord } from "../entities.js";
import { makePdf } from "../pdf.js";
import { notFound } from "../refusal.js";
import { signedContent } from "../signing.js";
import { authenticated, type Call, ELSEWHERE, pdf, type Route, redirected } from "./route.js";

type Chain = "Bitcoin" | "Ethereum";

interface Download {
  readonly label: string;
  readonly isThere: (file: FileRecord) => boolean;
  readonly bytes: (context: SandboxContext, file: FileRecord) => Buffer | undefined;
}

const original: Download = {
  label: "Original PDF",
  isThere: () => true,
  bytes: (context, file) => context.store.pdfs.get(file.sha256),
};
const signed: Download = {
  label: "Signed PDF",
  isThere: file => file.signedEndedAt !== null,
  bytes: signedContent,
};

/** What can be downloaded of a version. */
export const downloads: Readonly<Record<string, Download>> = {
  "original.pdf": original,
  "signed.pdf": signed,
  "btc.pdf": {
    label: "Bitcoin certificate",
    isThere: file => file.xmlBtcCert !== null,
    bytes: (_, file) => certificatePdf(file, "Bitcoin"),
  },
  "eth.pdf": {
    label: "Ethereum certificate",
    isThere: file => file.xmlEthCert !== null,
    bytes: (_, file) => certificatePdf(file, "Ethereum"),
  },
  "constancia.asn1": {
    label: "NOM151 constancia",
    isThere: file => file.constancia !== null,
    bytes: (_, file) => Buffer.from(file.constancia ?? "", "base64"),
  },
};

function download(call: Call, { isThere, bytes }: Download) {
  const { filesNeedKey, downloads: where } = call.context.settings;
  if (where === "never") throw notFound("The file");
  if (filesNeedKey) authenticated(call);
  const file = call.context.store.files.find(one => one.token === call.parameter);
  const found = file && isThere(file) ? bytes(call.context, file) : undefined;
  if (!found) throw notFound("The file");
  return pdf(found);
}

export const storageRoutes: readonly Route[] = [
  {
    name: "originalPdf",
    methods: ["GET"],
    path: /^\/storage\/([^/]+)\/original\.pdf$/,
    handle: call => download(call, original),
  },
  {
    name: "signedPdf",
    methods: ["GET"],
    path: /^\/storage\/([^/]+)\/signed\.pdf$/,
    handle: call => download(call, signed),
  },
];

// ---- Certificates ----

function certificate(call: Call, chain: Chain) {
  const { certificatesNeedKey, downloads: where } = call.context.settings;
  if (where === "never") throw notFound("The certificate");
  if (where === "elsewhere") return redirected(`${ELSEWHERE}/timestamps/${call.parameter}.pdf`);
  if (certificatesNeedKey) authenticated(call);
  const file = call.context.store.files.find(
    one => one.signedSha256 === call.parameter && one.xmlBtcCert !== null && one.xmlEthCert !== null,
  );
  if (!file) throw notFound("The certificate");
  return pdf(certificatePdf(file, chain));
}

const certificatePdf = (file: FileRecord, chain: Chain) =>
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
