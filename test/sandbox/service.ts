import { makePdf, type Sandbox } from "../../sandbox/index.js";

/** A second, independent client: nothing but fetch. */

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of any shape and assert what they find.
  body: any;
}

export interface RequestParts {
  body?: unknown;
  key?: string | null;
  headers?: Record<string, string>;
}

export async function ask(
  sandbox: Sandbox,
  request: string,
  { body, key, headers }: RequestParts = {},
): Promise<Reply> {
  const [method = "GET", path = "/"] = request.split(" ");
  const response = await fetch(sandbox.url + path, {
    method,
    redirect: "manual",
    headers: {
      ...(key === null ? {} : { "x-api-key": key ?? sandbox.apiKey }),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

export const lease = makePdf(["Lease 12"]);
export const dataUri = (pdf: Uint8Array) => `data:application/pdf;base64,${Buffer.from(pdf).toString("base64")}`;

export const wanted = (...emails: string[]) => ({
  name: "Lease 12",
  invitations_attributes: (emails.length > 0 ? emails : ["ana@example.com"]).map(invite_email => ({ invite_email })),
  base64_file: dataUri(lease),
});

/** Creates a document over HTTP and returns its id. */
export async function create(sandbox: Sandbox, body: object = wanted()): Promise<number> {
  const { status, body: created } = await ask(sandbox, "POST /v1/documents", { body });
  if (status !== 201) throw new Error(`Creating answered ${status}: ${JSON.stringify(created)}`);
  return created.payload.id;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
