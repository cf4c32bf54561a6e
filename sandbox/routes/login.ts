import { Fields } from "../fields.js";
import { Refusal } from "../refusal.js";
import { issueToken, readToken } from "../token.js";
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
