import { test } from "vitest";
import { openScene } from "../support/engine/scene.js";
test("probe", async () => {
  await using s = await openScene({ program: "examples/quickstart-"+(({nodejs:"typescript"} as any)[process.env.L!] ?? process.env.L) , language: process.env.L as any });
  const log = (t: string, o: any) => console.log(t, o.code, o.steps, o.notes, s.asked(), s.mailed(), o.text.length);

  log("preview", await s.stack.preview());
  log("up", await s.stack.up());
  console.log(await s.stack.outputs());
  log("preview", await s.stack.preview("--expect-no-changes"));
  s.service.people.sign(s.id(), "ana@example.com");
  log("refresh", await s.stack.refresh());
  log("preview", await s.stack.preview("--expect-no-changes"));
  log("up", await s.stack.up());
  console.log(await s.stack.outputs());
  const pdf = s.stack.read("contracts/nda.pdf");
  s.stack.write("contracts/nda.pdf", Buffer.concat([pdf, Buffer.from("% more\n")]));
  let r = await s.stack.refused(["preview"]); log("preview", r); console.log(r.text);
  r = await s.stack.refused(["up", "--yes", "--skip-preview"]); log("up", r); console.log(r.text);
  s.stack.write("contracts/nda.pdf", pdf);
  r = await s.stack.refused(["up", "--yes", "--skip-preview", "--target-replace", s.stack.urn("nda")]); log("up", r); console.log(r.text);
  s.service.people.sign(s.id(), "bob@example.org"); s.service.people.certify(s.id());
  log("up", await s.stack.up("--refresh"));
  console.log(await s.stack.outputs());
  console.log(JSON.stringify(await s.stack.entries(), null, 1));
  r = await s.stack.destroy();log("destroy", r); console.log(r.text);
  console.log(JSON.stringify(s.service.ledger.documents(), null, 1))
}, 120000);
