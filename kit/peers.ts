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
export const LOOKS = 20;
const PAUSE_MS = 5;

/** On Linux, from the tables of sockets. */
export const peerOnLinux: PeerOf = async ({ remoteAddress, remotePort, localAddress, localPort }) => {
  if (!remoteAddress || !remotePort || !localAddress || !localPort) return "gone";
  const ends = endsOf(endOf(remoteAddress, remotePort), endOf(localAddress, localPort));
  for (let look = 0; look < LOOKS; look++) {
    const owners = await lookAgain();
    if (owners === undefined) return undefined;
    const uid = owners.get(ends);
    if (uid !== undefined) return { uid };
    await pause(PAUSE_MS);
  }
  return "gone";
};

/** By both ends of a socket: whose it is. */
type Owners = ReadonlyMap<string, number>;

let looking: Promise<unknown> = Promise.resolve();
let next: Promise<Owners | undefined> | undefined;

/** Of sockets as they are from now on. Hundreds of connections that come at once look together, and the next ones after them. */
function lookAgain(): Promise<Owners | undefined> {
  next ??= looking.then(() => {
    next = undefined;
    const look = readTables();
    looking = look.catch(() => undefined);
    return look;
  });
  return next;
}

async function readTables(): Promise<Owners | undefined> {
  const tables = await Promise.all(TABLES.map(path => readFile(path, "latin1").catch(() => undefined)));
  return tables.every(table => table === undefined) ? undefined : ownersIn(tables.join("\n"));
}

const ESTABLISHED = "01";

/**
 * The owners of open sockets. Of a socket that its process has closed the table says no inode, and that root owns it:
 * whoever it was, they don't count.
 */
export function ownersIn(table: string): Owners {
  const owners = new Map<string, number>();
  for (const line of table.split("\n")) {
    // Of a busy machine's table most are closed, and needn't be taken apart.
    if (!line.includes(` ${ESTABLISHED} `)) continue;
    const [, local, remote, state, , , , uid = "", , inode] = line.trim().split(/\s+/, 10);
    if (local === undefined || remote === undefined || state !== ESTABLISHED || inode === "0" || !/^\d+$/.test(uid))
      continue;
    const ends = endsOf(plain(local), plain(remote));
    if (!owners.has(ends)) owners.set(ends, Number(uid));
  }
  return owners;
}

export const endsOf = (own: string, other: string): string => `${own} ${other}`;

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
