import { makePdf } from "../pdf.js";
import { notFound } from "../refusal.js";
import { authenticated, type Call, pdf, type Route } from "./route.js";

function certificate(call: Call, chain: "Bitcoin" | "Ethereum") {
  if (call.world.settings.certificatesNeedKey) authenticated(call);
  const file = call.world.store.files.find(
    one => one.signedSha256 === call.parameter && one.xmlBtcCert !== null && one.xmlEthCert !== null,
  );
  if (!file) throw notFound("The certificate");
  return pdf(makePdf([`${chain} timestamp certificate`, `sha256 of the signed file: ${file.signedSha256}`]));
}

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
