import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { IndependentService } from "../support/independent-service/index.js";

export const pdf = Buffer.from("%PDF-1.4\nrental contract\n%%EOF\n");

interface Heard {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  json: any;
}

/** One request by fetch with the first account's key; JSON if it is JSON. */
export async function ask(
  service: IndependentService,
  method: string,
  path: string,
  body?: unknown,
  key = service.apiKey,
) {
  const response = await fetch(service.url + path, {
    method,
    headers: { "x-api-key": key, ...(body !== undefined && { "content-type": "application/json" }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    redirect: "manual",
  });
  const text = await response.text();
  const heard: Heard = { status: response.status, headers: response.headers, text, json: undefined };
  if (response.headers.get("content-type")?.includes("json")) heard.json = JSON.parse(text);
  return heard;
}

export function contract(more: Record<string, unknown> = {}, ...emails: string[]): Record<string, unknown> {
  const invited = emails.length > 0 ? emails : ["Lea@clients.test", "tom@clients.test"];
  return {
    name: "Rental",
    invitations_attributes: invited.map(email => ({ invite_email: email, invite_name: email.split("@")[0] })),
    base64_file: `data:application/pdf;base64,${pdf.toString("base64")}`,
    ...more,
  };
}

/** Creates by raw request and answers with the true id, whatever the service said. */
export async function create(service: IndependentService, more: Record<string, unknown> = {}, ...emails: string[]) {
  await ask(service, "POST", "/v1/documents", contract(more, ...emails));
  return service.ledger.documents().at(-1)?.id ?? "none";
}

/** A bare TCP connection that has sent this; `heard` is all that comes until it ends, `error` its code if it was reset. */
export async function rawRequest(
  service: IndependentService,
  sent: string,
): Promise<{ socket: Socket; heard: Promise<Ending> }> {
  const { port } = new URL(service.url);
  const socket = connect(Number(port), "127.0.0.1");
  await once(socket, "connect");
  let text = "";
  let error: string | undefined;
  socket.setEncoding("latin1");
  socket.on("data", chunk => {
    text += chunk;
  });
  socket.on("error", (failure: NodeJS.ErrnoException) => {
    error = failure.code;
  });
  const heard = new Promise<Ending>(tell => socket.once("close", () => tell({ text, error })));
  socket.write(sent);
  return { socket, heard };
}

interface Ending {
  text: string;
  error: string | undefined;
}

export function rawPost(service: IndependentService, path: string, body: unknown): string {
  const text = JSON.stringify(body);
  const head = [
    `POST ${new URL(service.url + path).pathname} HTTP/1.1`,
    "Host: service",
    `X-Api-Key: ${service.apiKey}`,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${text}`;
}
