import { isIP } from "node:net";

/**
 * Whether a Host header names this machine. A site can make its own name lead to this machine, and read what its
 * reader's browser gets there; a bare address, localhost or a name without a dot can't be that site's.
 */
export function isOwnAddress(host: string, listensOn: string): boolean {
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  return isIP(name) > 0 || !name.includes(".") || /\.localhost$/i.test(name) || name === listensOn;
}
