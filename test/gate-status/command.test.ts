import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { main } from "../../commands/gate-status/command.js";

const gate = "urn:pulumi:dev::contracts::docsign:index:SignatureGate::agreed";
const message = "document 5001 waits for ana@example.com to sign, and the gate requires it.";
const WAITS = "document 5001 waits for ana@example.com to sign";
const events = [
  { diagnosticEvent: { urn: gate, message: `${WAITS} [docsign/facts waits=1&stops=1]`, severity: "info" } },
  { resOpFailedEvent: { metadata: { urn: gate, type: "docsign:index:SignatureGate" } } },
  { diagnosticEvent: { urn: gate, message, severity: "error" } },
];

async function command(argv: string[], exitCode = 255, log: object[] | null = events, said = "") {
  const ran: unknown[] = [];
  let [out, err] = ["", ""];
  const code = await main(argv, {
    run: async (program, args, env) => {
      const path = args.at(-1) ?? "";
      ran.push([program, ...args.slice(0, -1), env]);
      if (log) writeFileSync(path, log.map(event => JSON.stringify(event)).join("\n"));
      return { code: exitCode, output: said };
    },
    out: text => {
      out += text;
    },
    err: text => {
      err += text;
    },
  });
  return { code, out, err, ran };
}

describe("docsign gate-status", () => {
  it("runs the command with an event log, and ends with 10 where people alone are missing", async () => {
    const { code, out, err, ran } = await command(["--", "pulumi", "up", "--yes"]);
    expect(ran).toEqual([["pulumi", "up", "--yes", "--event-log", { PULUMI_DEBUG_COMMANDS: "true" }]]);
    expect([code, out, err]).toEqual([
      10,
      "",
      "docsign gate-status: document 5001 waits for ana@example.com to sign\n",
    ]);
  });

  it("repeats Pulumi's reason where the command ended before the engine began", async () => {
    const { code, err } = await command(["--", "pulumi", "up"], 255, null, "error: no stack named 'dev' found\n");
    expect([code, err]).toEqual([
      1,
      "docsign gate-status: failed: the command ended with 255: no stack named 'dev' found\n",
    ]);
  });

  it("writes JSON for scripts", async () => {
    const { out } = await command(["--json", "--", "pulumi", "up"]);
    expect(JSON.parse(out)).toEqual({
      status: "waiting",
      waiting: ["document 5001 waits for ana@example.com to sign"],
      wrong: [],
    });
    expect(JSON.parse((await command(["--json", "--", "pulumi", "up"], 0)).out).status).toBe("ok");
  });

  it("ends with 1 where the command fails before it writes any event", async () => {
    const { code } = await command(["--", "pulumi", "up"], 127, null);
    expect(code).toBe(1);
  });

  it.each([
    [[], "expected a command after --, got none"],
    [["--"], "expected a command after --, got none"],
    [["pulumi", "up"], "expected a command after --, got pulumi up"],
    [["--jason", "--", "pulumi"], "there is no flag --jason; did you mean --json?"],
  ])("refuses %j and runs nothing", async (argv, why) => {
    const { code, err, ran } = await command(argv);
    expect([code, ran]).toEqual([2, []]);
    expect(err).toContain(why);
  });

  it("explains itself", async () => {
    const { code, out, ran } = await command(["--help"]);
    expect([code, ran]).toEqual([0, []]);
    expect(out).toContain("10   gates wait");
  });
});
