import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { createServer, connect as dial, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test, vi } from "vitest";
import { serve as serveBoard } from "../../commands/board/serve.js";
import { endOf, endsOf, LOOKS, ownersIn, type PeerOf, peerOnLinux } from "../../kit/peers.js";
import { startServer } from "../../kit/server.js";
import { fakeProvider } from "../grpc/support/fake-provider.js";

/** A server's first words in HTTP/2 are its settings; a connection that is refused ends without a word. */
const isServed = async (port: number): Promise<boolean> => {
  const socket = dial(port, "127.0.0.1").on("error", () => {});
  socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1");
  const served = new Promise<boolean>(resolve => {
    socket.once("data", () => resolve(true)).once("close", () => resolve(false));
  });
  return served.finally(() => socket.destroy());
};

const started = async (peerOf: PeerOf | undefined, more: object = {}) => {
  const lines: string[] = [];
  const server = await startServer(fakeProvider(), { peerOf, stderr: line => void lines.push(line), ...more });
  return { ...server, lines, [Symbol.asyncDispose]: () => server.stop("the test is over") };
};
const uid = process.geteuid?.() ?? 0;

const nobody = secondUser();

describe("the plugin's port", () => {
  test.each([
    ["its own user", { uid }, true],
    ["root", { uid: 0 }, true],
    ["another user", { uid: uid + 1 }, false],
    ["a socket that nobody holds any more", "gone", false],
  ] as const)("towards %s", async (_who, peer, served) => {
    await using server = await started(async () => peer);
    expect(await isServed(server.port)).toBe(served);
    expect(server.lines).toHaveLength(served ? 0 : 1);
  });

  test("where the system doesn't show who is calling, serves nobody beside the engine", async () => {
    await using server = await started(async () => undefined, { engineAddress: "127.0.0.1:1" });
    const engine = dial(server.port, "127.0.0.1").on("error", () => {});
    engine.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", "latin1");
    await once(engine, "data");
    expect(await isServed(server.port)).toBe(false);
    engine.destroy();
  });

  test("where the system doesn't show it, serves one debugging session after another, and several at once", async () => {
    await using server = await started(async () => undefined);
    expect(await Promise.all([isServed(server.port), isServed(server.port)])).toEqual([true, true]);
  });

  test.skipIf("missing" in nobody)(`isn't served to a second user ${nobody.missing ?? ""}`, async () => {
    await using server = await started(undefined);
    const knock = `exec 3<>/dev/tcp/127.0.0.1/${server.port} && printf 'PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n\\0\\0\\0\\4\\0\\0\\0\\0\\0' >&3 && head -c 9 <&3 | wc -c`;
    const bytes = (...as: string[]) => {
      const [command = "", ...args] = [...as, "bash", "-c", knock];
      return run(command, args);
    };
    expect(await bytes()).toBe("9");
    expect(await bytes(...(nobody.command ?? []))).toBe("0");
  });
});

describe("the board's port", () => {
  test.skipIf("missing" in nobody)(`isn't served to a second user ${nobody.missing ?? ""}`, async () => {
    const stop = new AbortController();
    const port = Promise.withResolvers<string>();
    const io = {
      out: (text: string) => port.resolve(/:(\d+)\//.exec(text)?.[1] ?? ""),
      err: () => {},
      stop: stop.signal,
    };
    const page = { page: "ana@example.com", version: "1" };
    const serving = serveBoard(async () => page, { port: 0, everySeconds: 60 }, io);
    const ask = `exec 3<>/dev/tcp/127.0.0.1/${await port.promise} && printf 'GET / HTTP/1.0\\r\\nHost: 127.0.0.1:${await port.promise}\\r\\n\\r\\n' >&3 && cat <&3`;
    expect(await run("bash", ["-c", ask])).toContain("ana@example.com");
    const [command = "", ...args] = nobody.command ?? [];
    const answer = await run(command, [...args, "bash", "-c", ask]);
    expect(answer).toContain("403 Forbidden");
    expect(answer).not.toContain("ana@example.com");
    stop.abort();
    await serving;
  });
});

describe.skipIf(process.platform !== "linux")("who is at the other end", () => {
  async function pair(address: string): Promise<{ accepted: Socket; caller: Socket } & AsyncDisposable> {
    const server = createServer({ pauseOnConnect: true });
    await new Promise<void>(resolve => void server.listen(0, address, resolve));
    const { port } = server.address() as { port: number };
    const caller = dial(port, address === "::" ? "127.0.0.1" : address);
    const [accepted] = (await once(server, "connection")) as [Socket];
    for (const socket of [accepted, caller]) socket.on("error", () => {});
    const close = async () => {
      for (const socket of [accepted, caller]) socket.destroy();
      server.close();
    };
    return { accepted, caller, [Symbol.asyncDispose]: close };
  }

  test.each(["127.0.0.1", "::"])("is found on %s", async address => {
    await using open = await pair(address);
    expect(await peerOnLinux(open.accepted)).toEqual({ uid });
  });

  test("isn't the root that the table names once the caller has hung up", async () => {
    await using open = await pair("127.0.0.1");
    open.caller.write("what is said before");
    open.caller.destroy();
    await once(open.caller, "close");
    expect(await peerOnLinux(open.accepted)).toBe("gone");
  });

  test("is looked up together for hundreds of connections that come at once", async () => {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => pair("127.0.0.1")));
    const reading = vi.spyOn(fs, "readFile");
    syncBuiltinESMExports();
    try {
      const peers = await Promise.all(sockets.map(({ accepted }) => peerOnLinux(accepted)));
      expect(peers).toEqual(sockets.map(() => ({ uid })));
      // Both tables, and again for those that a changing table left out.
      expect(reading).toHaveBeenCalled();
      expect(reading.mock.calls.length).toBeLessThanOrEqual(2 * LOOKS);
    } finally {
      reading.mockRestore();
      syncBuiltinESMExports();
      for (const each of sockets) await each[Symbol.asyncDispose]();
    }
  });

  const own = endOf("127.0.0.1", 0x1234);
  const ends = { own, other: endOf("127.0.0.1", 0xabcd) };
  const row = (local: string, remote: string, state: string, uid: string, inode: string) =>
    `sl\n 1: ${local} ${remote} ${state} 0:0 00:0 0 ${uid} 0 ${inode} 1\n`;
  test.each([
    ["an open socket", row(ends.own, ends.other, "01", "1000", "77"), 1000],
    ["a closed one", row(ends.own, ends.other, "04", "0", "0"), undefined],
    ["one without an inode", row(ends.own, ends.other, "01", "0", "0"), undefined],
    ["the other direction", row(ends.other, ends.own, "01", "1000", "77"), undefined],
    ["another port", row(endOf("127.0.0.1", 0x1235), ends.other, "01", "1000", "77"), undefined],
    ["garbage", "sl\n\n1: x y\n", undefined],
  ])("%s in the table", (_what, table, expected) => {
    expect(ownersIn(table).get(endsOf(ends.own, ends.other))).toBe(expected);
  });
});

/** What runs a command as another user; or why nothing does here. */
function secondUser(): { command?: readonly string[]; missing?: string } {
  if (process.platform !== "linux") return { missing: "(only Linux shows who is calling)" };
  const ways = [
    ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"],
    ["sudo", "-n", "-u", "nobody"],
  ];
  const works = ([command = "", ...args]: readonly string[]) =>
    spawnSync(command, [...args, "id", "-u"], { encoding: "utf8" }).stdout?.trim() === "65534";
  const command = ways.find(works);
  return command ? { command } : { missing: "(another user's processes need root, or sudo without a password)" };
}

const run = async (command: string, args: string[]): Promise<string> => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "ignore"] });
  return (await text(child.stdout)).trim();
};
