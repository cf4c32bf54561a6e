import { createHmac } from "node:crypto";
import type { SandboxContext } from "./context.js";
import type { AccountRecord } from "./entities.js";
import { isObject } from "./fields.js";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const signature = (content: string, account: AccountRecord) =>
  createHmac("sha256", account.apiKey + account.password)
    .update(content)
    .digest("base64url");

export function issueToken(context: SandboxContext, account: AccountRecord): { token: string; expiration: number } {
  const expiration = Math.floor(context.clock.now() / 1000) + context.settings.tokenLifetime;
  const content = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: String(account.id), exp: expiration })}`;
  return { token: `${content}.${signature(content, account)}`, expiration };
}

export function readToken(context: SandboxContext, authorization: string | undefined): AccountRecord | undefined {
  const [, header, claims, signed] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization ?? "") ?? [];
  if (!header || !claims) return undefined;
  const said = parsed(Buffer.from(claims, "base64url").toString("utf8"));
  if (!isObject(said) || typeof said["exp"] !== "number" || said["exp"] * 1000 <= context.clock.now()) return undefined;
  const account = context.store.account(Number(said["sub"]));
  return account && signature(`${header}.${claims}`, account) === signed ? account : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
