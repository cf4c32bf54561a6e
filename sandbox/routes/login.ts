import { createHmac } from "node:crypto";
import { isRecord } from "../../kit/records.js";
import type { SandboxContext } from "../context.js";
import type { AccountRecord } from "../entities.js";
import { Fields, jsonIn } from "../fields.js";
import { Refusal } from "../refusal.js";
import { json, payload, type Route } from "./route.js";

export const loginRoutes: readonly Route[] = [
  {
    name: "login",
    methods: ["POST"],
    path: /^\/v1\/login$/,
    handle: ({ context, json: body }) => {
      const fields = new Fields(body());
      const email = fields.text("email");
      const password = fields.text("password");
      fields.refuseIfWrong();
      const account = context.store.accountByEmail(email);
      if (!account || account.password !== password) {
        throw new Refusal(401, "login_failed", "The email or the password is wrong");
      }
      return json(200, issueToken(context, account));
    },
  },
  {
    name: "apiKey",
    methods: ["GET"],
    path: /^\/v1\/users\/api_key$/,
    handle: ({ context, header }) => {
      const account = readToken(context, header("authorization"));
      if (!account) throw new Refusal(401, "token_invalid", "The bearer token is missing, wrong or expired");
      return payload(200, { api_key: account.apiKey });
    },
  },
];

// ---- Tokens ----

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const signature = (content: string, account: AccountRecord) =>
  createHmac("sha256", account.apiKey + account.password)
    .update(content)
    .digest("base64url");

function issueToken(context: SandboxContext, account: AccountRecord): { token: string; expiration: number } {
  const expiration = Math.floor(context.clock.now() / 1000) + context.settings.tokenLifetime;
  const content = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: String(account.id), exp: expiration })}`;
  return { token: `${content}.${signature(content, account)}`, expiration };
}

function readToken(context: SandboxContext, authorization: string | undefined): AccountRecord | undefined {
  const [, header, content, signed] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization ?? "") ?? [];
  if (!header || !content) return undefined;
  const claims = jsonIn(Buffer.from(content, "base64url").toString("utf8"));
  if (!isRecord(claims) || typeof claims["exp"] !== "number" || claims["exp"] * 1000 <= context.clock.now())
    return undefined;
  const account = context.store.account(Number(claims["sub"]));
  return account && signature(`${header}.${content}`, account) === signed ? account : undefined;
}
