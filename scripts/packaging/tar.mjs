// A tar archive whose bytes depend on nothing but its content: no times, no owners, names in order.
import { gzipSync } from "node:zlib";

const BLOCK = 512;

/** `files`: `{ name, content, executable }`, names with forward slashes. Gives the bytes of a `.tar.gz`. */
export function tarball(files) {
  const sorted = files.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const blocks = sorted.flatMap(({ name, content, executable }) => [
    header(name, content.length, executable ? 0o755 : 0o644),
    content,
    Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
  ]);
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 6 });
  // Gzip names the system it was made on; 255 is «unknown».
  packed[9] = 255;
  return packed;
}

/** POSIX ustar, the plain part: our names fit into its hundred bytes. */
function header(name, size, mode) {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is longer than a tar header holds`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value, at, length) => block.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1");
  block.write(name, 0, "utf8");
  octal(mode, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(0, 136, 12);
  block.write("0", 156, "latin1");
  block.write("ustar\x0000", 257, "latin1");
  // The checksum counts itself as blanks.
  block.fill(" ", 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return block;
}
