import { expect, test } from "vitest";
import { sceneWith } from "../lifecycle/scene.js";
import { outputsOf, team } from "./team.js";

test("a row's addresses are there from the first run on, null until the service has them", async () => {
  await using s = await sceneWith([team(["Ana", "Bob"])]);
  const rows = () => Object.values(outputsOf(s)["documents"] as Record<string, Record<string, unknown>>);
  const none = { ready: false, status: expect.any(String), btcUrl: null, ethUrl: null };
  const shown = () => rows().map(({ signedFileUrl, certificates }) => ({ signedFileUrl, certificates }));
  expect(shown()).toEqual([0, 1].map(() => ({ signedFileUrl: null, certificates: none })));
  s.service.people.signAll(s.id(0));
  s.service.people.certify(s.id(0), { chain: "sended" });
  await s.stack.refresh();
  const there = { ready: true, status: "sended", btcUrl: expect.any(String), ethUrl: expect.any(String) };
  expect(shown()).toEqual([
    { signedFileUrl: expect.any(String), certificates: there },
    { signedFileUrl: null, certificates: none },
  ]);
});

test("whether certificates want the key is found out in a refresh, once for all rows", async () => {
  await using s = await sceneWith([team(["Ana", "Bob"])]);
  expect(outputsOf(s)["certificatesNeedKey"]).toBeNull();
  const tries = () => s.asked().filter(request => request.includes("/v3/timestamps/")).length;
  await s.stack.refresh();
  expect([tries(), outputsOf(s)["certificatesNeedKey"]]).toEqual([0, null]);
  for (const nth of [0, 1]) {
    s.service.people.signAll(s.id(nth));
    s.service.people.certify(s.id(nth), { chain: "sended" });
  }
  await s.stack.refresh();
  expect(typeof outputsOf(s)["certificatesNeedKey"]).toBe("boolean");
  expect(tries()).toBeGreaterThan(0);
  const found = outputsOf(s)["certificatesNeedKey"];
  await s.stack.refresh();
  expect([tries(), outputsOf(s)["certificatesNeedKey"]]).toEqual([0, found]);
});
