import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands between a client and a server, and is slow, silent or cut off when asked to. */
export interface TcpProxy extends AsyncDisposable {
  readonly port: number;
  /** Silent: connections are taken and nothing goes through. Closed: they end at once. */
  mode: "open" | "silent" | "closed";
  /** Milliseconds that each piece takes one way. */
  delay: number;
  /** Every so many pieces, all connections end instead; 0 for never. */
  cutEvery: number;
  /** Called with the number of each piece, before it goes on. */
  onPiece: (nth: number) => void;
  /** Ends every connection there is. */
  cut(): void;
}

export async function startTcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let pieces = 0;
  let all = 0;
  const server = createServer(client => {
    if (proxy.mode === "closed") return void client.destroy();
    const upstream = connect(target, "127.0.0.1");
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on("error", () => undefined);
      from.on("close", () => {
        sockets.delete(from);
        to.destroy();
      });
      from.on("data", chunk => {
        proxy.onPiece(++all);
        if (proxy.mode === "silent") return;
        if (++pieces === proxy.cutEvery) {
          pieces = 0;
          cut();
          return;
        }
        if (proxy.delay === 0) to.write(chunk);
        else setTimeout(() => to.destroyed || to.write(chunk), proxy.delay);
      });
    }
  });
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const proxy: TcpProxy = {
    port: 0,
    mode: "open",
    delay: 0,
    cutEvery: 0,
    onPiece: () => undefined,
    cut,
    async [Symbol.asyncDispose]() {
      cut();
      await new Promise(resolve => server.close(resolve));
    },
  };
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(proxy, { port: (server.address() as AddressInfo).port });
}
