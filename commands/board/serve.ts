import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { isOwn, peerOnLinux } from "../../kit/peers.js";
import { messageOf } from "../cli/flags.js";
import { isOwnAddress } from "../ui/served.js";
import type { CommandIo } from "./command.js";

const HOST = "127.0.0.1";

/**
 * Serves the page on this machine, made anew every so often, until it is stopped. `version` is as the page itself holds it,
 * so that a reader notices each change since it was loaded.
 */
export async function serve(
  make: () => Promise<{ readonly page: string; readonly version: string }>,
  { port, everySeconds }: { port: number; everySeconds: number },
  { out, err, stop }: Pick<CommandIo, "out" | "err" | "stop">,
): Promise<void> {
  // What can't be read at the start is said at once; later the page of before stays.
  let served = await make();
  const server = createServer(async (request, response) => {
    // Every user of the machine reaches the port, and the page has people's names and addresses.
    const isOurs = await isOwn(request.socket, peerOnLinux).catch(() => undefined);
    if (isOurs === false || !isOwnAddress(request.headers.host ?? "", HOST)) return void response.writeHead(403).end();
    const reads = request.method === "GET" || request.method === "HEAD";
    if (!reads || request.url?.replace(/\?.*/, "") !== "/") return void response.writeHead(404).end();
    response.writeHead(200, {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      "X-Frame-Options": "DENY",
      ETag: `"${served.version}"`,
    });
    response.end(request.method === "HEAD" ? undefined : served.page);
  });
  server.listen(port, HOST);
  await once(server, "listening");
  out(`The board is at http://${HOST}:${(server.address() as AddressInfo).port}/\nCtrl-C stops it.\n`);
  try {
    while (!stop.aborted) {
      await setTimeout(everySeconds * 1000, undefined, { signal: stop });
      served = await make().catch((error: unknown) => {
        err(`docsign board: ${messageOf(error)}; the page of before stays\n`);
        return served;
      });
    }
  } catch (error) {
    if (!stop.aborted) throw error;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
