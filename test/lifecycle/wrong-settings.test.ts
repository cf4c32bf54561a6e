import { expect, test } from "vitest";
import { secret } from "../support/engine-client.js";
import { nda, scene } from "./scene.js";

test.each([
  ["a wrong key", { apiKey: secret("wrong") }, /answered 401.*the service doesn't accept the credentials/],
  [
    "a wrong path",
    (url: string) => ({ baseUrl: `${url}/nowhere` }),
    /answered 404.*docsign:baseUrl \(DOCSIGN_BASE_URL\)/,
  ],
])("%s fails the preview, before it announces any mail", async (_, wrong, says) => {
  await using s = await scene();
  const { service, stack } = s;
  const settings = typeof wrong === "function" ? wrong(service.url) : wrong;
  stack.providers["default"] = { ...stack.providers["default"], ...settings };
  const preview = await stack.preview([nda()]);
  expect(preview.error).toMatch(says);
  expect(preview.previewLines.join("\n")).not.toContain("will mail");
  expect(s.sent()).toEqual({ creates: 0, mails: 0 });
});
