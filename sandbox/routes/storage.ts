import type { FileRecord } from "../entities.js";
import { notFound } from "../refusal.js";
import { signedContent } from "../signing.js";
import { authenticated, type Call, pdf, type Route } from "./route.js";

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
    handle: call => download(call, file => call.context.content.get(file.sha256)),
  },
  {
    name: "signedPdf",
    methods: ["GET"],
    path: /^\/storage\/([^/]+)\/signed\.pdf$/,
    handle: call =>
      download(call, file => (file.signedEndedAt === null ? undefined : signedContent(call.context, file))),
  },
];
