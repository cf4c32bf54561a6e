// The signing service as the bench meets it, in a process of its own: it keeps what a document's body needs, counts
// what reaches it, and answers after the latency it was started with. `service.mjs <latency>`; its parent asks over IPC.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

const latency = Number(process.argv[2]);

let documents = [];
let counts = nothing();

function nothing() {
  return { requests: {}, bytesIn: 0, bytesOut: 0 };
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", chunk => {
    counts.bytesIn += chunk.length;
    chunks.push(chunk);
  });
  request.on("end", () => {
    const { method, url } = request;
    const kind = `${method} ${url.replace(/\d+$/, ":id").replace(/\?.*/, "")}`;
    counts.requests[kind] = (counts.requests[kind] ?? 0) + 1;
    const [status, body] = answer(method, url, chunks);
    const text = JSON.stringify(body);
    counts.bytesOut += text.length;
    setTimeout(() => {
      response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
      response.end(text);
    }, latency);
  });
});

function answer(method, url, chunks) {
  const { pathname, searchParams } = new URL(url, "http://service");
  if (method === "POST" && pathname === "/v1/documents") return [200, { ok: true, payload: create(chunks) }];
  const id = /^\/v1\/documents\/(\d+)$/.exec(pathname)?.[1];
  if (method === "GET" && id && documents[id - 1]) return [200, { ok: true, payload: documents[id - 1] }];
  if (method === "GET" && pathname === "/v1/documents") return [200, { ok: true, payload: listed() }];
  if (method === "GET" && pathname === "/v1/documents/by_date_range")
    return [200, { ok: true, payload: listed().filter(({ status }) => status === searchParams.get("status")) }];
  return [404, { ok: false, message: "not found" }];
}

/** Newest first: what never arrived can be proven absent. */
const listed = () => documents.map(({ files, invitations, ...item }) => item).reverse();

function create(chunks) {
  const { name, description = "", invitations_attributes, base64_file } = JSON.parse(Buffer.concat(chunks));
  const bytes = Buffer.from(base64_file.slice(base64_file.indexOf(",") + 1), "base64");
  const id = documents.length + 1;
  const now = new Date().toISOString();
  const lifetime = { created_at: now, updated_at: now };
  const origin = `http://127.0.0.1:${server.address().port}`;
  const document = {
    id,
    owner_id: 1,
    owner_type: "User",
    folder_id: null,
    name,
    description,
    last_version: "1",
    ...lifetime,
    status: "unsigned",
    organization: null,
    files: [file(id, createHash("sha256").update(bytes).digest("hex"), origin, invitations_attributes, lifetime)],
    invitations: invitations_attributes.map((invited, i) => invitation(id, i, invited, lifetime)),
  };
  documents.push(document);
  return document;
}

function file(id, sha256, origin, invited, lifetime) {
  return {
    id,
    document_id: id,
    name: null,
    signed_ended_at: null,
    status: "unsigned",
    sha256,
    version: "1",
    ...lifetime,
    url: `${origin}/storage/${id}/original.pdf`,
    signed_file_url: `${origin}/storage/${id}/signed.pdf`,
    comments: [],
    signers: invited.map(({ invite_email: email }, i) => ({
      id: id * 10 + i,
      file_id: id,
      signature_type: "advanced",
      status: "unsigned",
      email,
      user: { user_id: null },
      ...lifetime,
    })),
    adv_str_constance: null,
    xml_btc_cert: null,
    xml_eth_cert: null,
    blockchain_certs_status: "not_requested",
    sha256_signed_file: null,
  };
}

function invitation(id, i, { invite_email, invite_name = "", allowed_signature_types = "all" }, lifetime) {
  return {
    id: id * 10 + i,
    invite_name,
    invite_email,
    document_id: id,
    status: "accepted",
    ...lifetime,
    user: { user_id: null, name: null, email: null },
    validation_status_3id: "pending",
    allowed_signature_types,
    requested_documents_status: "pending",
    requested_documents_required: false,
    validate_kyc: false,
    requested_documents: [],
  };
}

server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => process.send({ port: server.address().port }));
process.on("message", question => {
  if (question === "forget") documents = [];
  const names = question === "names" ? { names: new Set(documents.map(({ name }) => name)).size } : {};
  process.send({ ...counts, documents: documents.length, ...names });
  counts = nothing();
});
process.on("disconnect", () => process.exit());
// Ctrl-C reaches the whole group; the parent ends us when it is done with its own.
process.on("SIGINT", () => {});
