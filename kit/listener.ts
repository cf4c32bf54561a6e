import { createServer, type Socket } from "node:net";
import { platform } from "node:os";
import { isOwn, type PeerOf, peerOnLinux } from "./peers.js";

export interface ListenerOptions {
  /** Takes over a connection that may come in. */
  readonly serve: (socket: Socket) => void;
  /** Whether one engine alone is to be served: it keeps its connection to its end. */
  readonly oneEngine: boolean;
  readonly say: (line: string) => void;
  readonly peerOf?: PeerOf | undefined;
}

const peerHere: PeerOf = platform() === "linux" ? peerOnLinux : async () => undefined;

/**
 * Listens on loopback, which every user of the machine can reach, and serves this user and root alone: a caller has the
 * plugin's key and files at its command. Where the system doesn't show who is calling, a second caller beside the engine is
 * turned away. `close` resolves once every connection has ended.
 */
export async function listen({ serve, oneEngine, say, peerOf = peerHere }: ListenerOptions) {
  const open = new Set<Socket>();
  const admit = async (socket: Socket): Promise<void> => {
    const isOurs = await isOwn(socket, peerOf).catch(() => undefined);
    if (isOurs ?? !(oneEngine && open.size > 0)) {
      open.add(socket.once("close", () => open.delete(socket)));
      // Starts what the pause held back: HTTP/2 takes the bytes over from here.
      socket.read(0);
      serve(socket);
      return;
    }
    socket.destroy();
    say("refused a connection: the plugin serves its own user and one engine");
  };
  // Nothing is read of a connection before it is admitted.
  const server = createServer({ pauseOnConnect: true, noDelay: true }, socket => {
    socket.on("error", () => {});
    void admit(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("expected a port, got none");
  return { port: address.port, close: () => new Promise<void>(resolve => void server.close(() => resolve())) };
}
