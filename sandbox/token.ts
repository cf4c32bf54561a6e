import { createHmac } from "node:crypto";
import type { AccountRecord } from "./entities.js";
import { isObject } from "./fields.js";
import type { World } from "./world.js";

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const signature = (content: string, account: AccountRecord) =>
  createHmac("sha256", account.apiKey + account.password)
    .update(content)
    .digest("base64url");

export function issueToken(world: World, account: AccountRecord): { token: string; expiration: number } {
  const expiration = Math.floor(world.clock.now() / 1000) + world.settings.tokenLifetime;
  const content = `${encode({ alg: "HS256", typ: "JWT" })}.${encode({ sub: String(account.id), exp: expiration })}`;
  return { token: `${content}.${signature(content, account)}`, expiration };
}

export function readToken(world: World, authorization: string | undefined): AccountRecord | undefined {
  const [, header, claims, signed] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization ?? "") ?? [];
  if (!header || !claims) return undefined;
  const said = parsed(Buffer.from(claims, "base64url").toString("utf8"));
  if (!isObject(said) || typeof said["exp"] !== "number" || said["exp"] * 1000 <= world.clock.now()) return undefined;
  const account = world.store.account(Number(said["sub"]));
  return account && signature(`${header}.${claims}`, account) === signed ? account : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
