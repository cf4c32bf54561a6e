import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { endianness } from "node:os";
import { setTimeout as pause } from "node:timers/promises";

/** Who is at the other end of a connection over loopback; undefined where this system doesn't show it. */
export type PeerOf = (socket: Socket) => Promise<Peer | undefined>;

/** `gone`: nobody holds that end any more. */
export type Peer = { readonly uid: number } | "gone";

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
/** A socket may be missing from a table that changes while it is read. */
const LOOKS = 20;
const PAUSE_MS = 5;

/** On Linux, from the tables of sockets. */
export const peerOnLinux: PeerOf = async ({ remoteAddress, remotePort, localAddress, localPort }) => {
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return "gone";
  const ends = { own: endOf(remoteAddress, remotePort), other: endOf(localAddress, localPort) };
  for (let look = 0; look < LOOKS; look++) {
    const tables = await Promise.all(TABLES.map(path => readFile(path, "latin1").catch(() => undefined)));
    if (tables.every(table => table === undefined)) return undefined;
    const found = tables.map(table => uidIn(table ?? "", ends)).find(uid => uid !== undefined);
    if (found !== undefined) return { uid: found };
    await pause(PAUSE_MS);
  }
  return "gone";
};

interface Ends {
  readonly own: string;
  readonly other: string;
}

const ESTABLISHED = "01";

/**
 * The owner of an open socket between these ends. Of a socket that its process has closed the table says no inode, and
 * that root owns it: whoever it was, they don't count.
 */
export function uidIn(table: string, { own, other }: Ends): number | undefined {
  for (const line of table.split("\n").slice(1)) {
    const [, local, remote, state, , , , uid, , inode] = line.trim().split(/\s+/);
    if (local === undefined || remote === undefined || state !== ESTABLISHED) continue;
    if (plain(local) === own && plain(remote) === other && inode !== "0" && /^\d+$/.test(uid ?? "")) return Number(uid);
  }
  return undefined;
}

/** An end as the table writes it: the address in hex, each four bytes in the machine's order, and the port. */
export function endOf(address: string, port: number): string {
  const bytes = address
    .replace(/^::ffff:/i, "")
    .split(".")
    .map(Number);
  const ordered = endianness() === "LE" ? bytes.reverse() : bytes;
  return `${Buffer.from(ordered).toString("hex")}:${port.toString(16).padStart(4, "0")}`.toUpperCase();
}

/** An IPv4 address within IPv6 is the same end. */
const plain = (end: string): string => end.replace(/^0{16}(?:0000FFFF|FFFF0000)(?=[0-9A-F]{8}:)/, "");

/** Whether a connection is this user's own, or root's. */
export async function isOwn(socket: Socket, peerOf: PeerOf): Promise<boolean | undefined> {
  const peer = await peerOf(socket);
  if (peer === undefined) return undefined;
  return peer !== "gone" && (peer.uid === 0 || peer.uid === process.geteuid?.());
}
