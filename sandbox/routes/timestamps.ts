import type { FileRecord } from "../entities.js";
import { makePdf } from "../pdf.js";
import { notFound } from "../refusal.js";
import { authenticated, type Call, ELSEWHERE, pdf, type Route, redirected } from "./route.js";

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
