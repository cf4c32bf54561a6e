import { parseId, type Service } from "../client/index.js";
import type { DocumentBody, FileBody } from "../client/service.js";
import { allSigned, certificatesOf, latestFile } from "../resources/document/document-state.js";
import { type Draft, Drafts, refuseOthers } from "./draft.js";
import { type Fetched, fetchPdf, originOf } from "./fetch.js";
import type { DownloadEvidenceArgs, EvidenceFile, EvidenceKind, EvidenceManifest } from "./types.js";
import { EvidenceError } from "./types.js";

const MANIFEST = "evidence.json";

/** A PDF that the service has an address for. */
interface Wanted {
  readonly kind: EvidenceKind;
  readonly fileName: string;
  readonly address: string | null;
  /** Why there is no address. */
  readonly absent: string;
  /** What the service says its SHA-256 is, and where it says so. */
  readonly stated?: { readonly hash: string | null; readonly field: string };
  readonly notVerified: readonly string[];
}

interface Collected {
  readonly manifest: EvidenceManifest;
  /** Of `evidence.json`. */
  readonly sha256: string;
}

export async function collect(
  service: Service,
  { documentId, directory, allowOrigins = [], signal }: DownloadEvidenceArgs,
): Promise<Collected> {
  if (typeof directory !== "string" || directory === "")
    throw new EvidenceError("directory: expected the path of a folder");
  const id = parseId(documentId, "documentId");
  await refuseOthers(directory, MANIFEST, id, service.origin);
  const body = await service.getDocument(id, { signal });
  const file = latestFile(body);
  if (!file) throw new EvidenceError(`document ${id} has no file yet`);

  await using drafts = await Drafts.in(directory);
  const expected = expectedOf(body, file);
  const manifest: EvidenceManifest = {
    ...headOf(body, file, service),
    expected,
    complete: false,
    files: [],
    missing: [],
  };
  const origins = allowOrigins.map(originOf);
  const kept = new Map<EvidenceKind, Draft>();
  for (const wanted of wantedFrom(body, file, service)) {
    if (!expected.includes(wanted.kind)) continue;
    if (!wanted.address) {
      manifest.missing.push({ kind: wanted.kind, why: wanted.absent });
      continue;
    }
    const fetched = await fetchPdf(service, drafts, wanted.fileName, wanted.address, origins, signal);
    if ("missing" in fetched) manifest.missing.push({ kind: wanted.kind, why: fetched.missing });
    else {
      manifest.files.push(checked(wanted, fetched));
      kept.set(wanted.kind, fetched.draft);
    }
  }
  if (expected.includes("nom151")) await addConstancia(manifest, file, drafts, kept);
  manifest.complete = expected.every(kind => manifest.files.some(each => each.kind === kind && each.proven));
  signal?.throwIfAborted();
  const { sha256 } = await drafts.write(MANIFEST, [Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`)]);
  await drafts.finish();
  return { manifest, sha256 };
}

const headOf = (body: DocumentBody, file: FileBody, service: Service) => ({
  documentId: body.id,
  name: body.name,
  version: file.version,
  status: body.status,
  allSigned: allSigned(body),
  service: service.origin,
});

function wantedFrom(body: DocumentBody, file: FileBody, service: Service): Wanted[] {
  const { btcUrl, ethUrl, status } = certificatesOf(file, service.baseUrl);
  const unready = `the blockchain certificates aren't ready (status ${JSON.stringify(status)})`;
  const chain = ["what it says, and the entry in the blockchain it points to"];
  const signature = ["the signatures inside the PDF"];
  const signed = isSigned(body);
  return [
    {
      ...{ kind: "original", fileName: "original.pdf", address: file.url, notVerified: [] },
      absent: "the service names no address for it",
      stated: { hash: file.sha256, field: "sha256" },
    },
    {
      ...{ kind: "signed", fileName: "signed.pdf", address: signed ? file.signedFileUrl : null },
      absent: signed ? "the service names no address for it" : "not everybody has signed",
      notVerified: signature,
      stated: { hash: file.sha256SignedFile, field: "sha256_signed_file" },
    },
    { kind: "btc-certificate", fileName: "certificate-btc.pdf", address: btcUrl, absent: unready, notVerified: chain },
    { kind: "eth-certificate", fileName: "certificate-eth.pdf", address: ethUrl, absent: unready, notVerified: chain },
    {
      ...{ kind: "evidence-document", fileName: "evidence-document.pdf", address: file.evidenceDocUrl },
      ...{ absent: "the service names no address for it", notVerified: ["what it says"] },
    },
  ];
}

function checked({ kind, fileName, stated, notVerified }: Wanted, { draft, neededKey }: Fetched): EvidenceFile {
  const { bytes, sha256 } = draft;
  const result = { kind, fileName, bytes, sha256, neededKey, proven: true };
  if (!stated) return { ...result, verified: ["it is a PDF"], notVerified: [...notVerified] };
  if (!stated.hash) {
    const unknown = `its SHA-256: the service states no ${stated.field}`;
    return { ...result, verified: ["it is a PDF"], notVerified: [unknown, ...notVerified] };
  }
  const expected = stated.hash.toLowerCase();
  if (sha256 !== expected) {
    throw new EvidenceError(
      `${fileName} isn't what the service says it is: expected SHA-256 ${expected} (${stated.field}), found ${sha256}. Nothing was written.`,
    );
  }
  return { ...result, verified: [`its SHA-256 is the service's ${stated.field}`], notVerified: [...notVerified] };
}

async function addConstancia(
  manifest: EvidenceManifest,
  file: FileBody,
  drafts: Drafts,
  kept: ReadonlyMap<EvidenceKind, Draft>,
): Promise<void> {
  const text = (file.constancia ?? "").replace(/\s+/g, "");
  if (text === "") return void manifest.missing.push({ kind: "nom151", why: "the NOM151 constancia isn't there yet" });
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 === 1) {
    return void manifest.missing.push({ kind: "nom151", why: "what the service gives as the constancia isn't base64" });
  }
  const bytes = Buffer.from(text, "base64");
  // A bundle of its own, with its libraries: read by the first constancia, and never without one.
  const { readConstancia } = await import("./constancia.js");
  const { constancia, proven, verified, notVerified } = await readConstancia(bytes, {
    original: kept.get("original")?.path,
    signed: kept.get("signed")?.path,
  });
  if (constancia.kind === "invalid") {
    manifest.constancia = constancia;
    const why = `what the service gives as the constancia is invalid: ${constancia.why}`;
    return void manifest.missing.push({ kind: "nom151", why });
  }
  const { sha256 } = await drafts.write("constancia.asn1", [bytes]);
  const facts = { kind: "nom151" as const, fileName: "constancia.asn1", bytes: bytes.length, sha256, proven };
  manifest.files.push({ ...facts, verified, notVerified });
  manifest.constancia = constancia;
}

/**
 * What this document is to have, by its own fields: certificates are made for some documents only. A field that the
 * service leaves out promises nothing, and what is there all the same belongs to the evidence.
 */
function expectedOf(body: DocumentBody, file: FileBody): EvidenceKind[] {
  const { blockchainCertsStatus: status } = file;
  const requested = status !== null && status !== "" && status !== "not_requested";
  const blockchain =
    body.blockchainCertsEnabled === true || requested || Boolean(file.xmlBtcCert) || Boolean(file.xmlEthCert);
  const nom151 = body.withNom151 === true || Boolean(file.constancia);
  return [
    "original",
    "signed",
    ...(blockchain ? (["btc-certificate", "eth-certificate"] as const) : []),
    ...(file.evidenceDocUrl ? (["evidence-document"] as const) : []),
    ...(nom151 ? (["nom151"] as const) : []),
  ];
}

/** Whether there is a signed PDF worth the name: an address may be given before anyone has signed. */
const isSigned = (body: DocumentBody): boolean => allSigned(body) || body.status === "signed";
