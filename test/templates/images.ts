import { crc32, deflateSync } from "node:zlib";

type Pixel = (x: number, y: number) => readonly number[];

const chunk = (name: string, content: Uint8Array): Buffer => {
  const own = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const framed = Buffer.alloc(own.length + 8);
  framed.writeUInt32BE(content.length, 0);
  own.copy(framed, 4);
  framed.writeUInt32BE(crc32(own), own.length + 4);
  return framed;
};

interface PngOptions {
  readonly bits?: number;
  readonly interlaced?: boolean;
  readonly palette?: readonly number[];
  readonly transparency?: readonly number[];
  /** In place of what the pixels would be. */
  readonly data?: Uint8Array;
}

/** A PNG as its specification says: `type` is 0 gray, 2 RGB, 3 palette, 4 gray with alpha, 6 RGB with alpha. */
export function png(width: number, height: number, type: number, pixel: Pixel, more: PngOptions = {}): Buffer {
  const { bits = 8, interlaced = false, palette, transparency, data } = more;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([bits, type, 0, 0, interlaced ? 1 : 0], 8);
  const rows = () =>
    Array.from({ length: height }, (_, y) => [
      0,
      ...Array.from({ length: width }, (__, x) => pixel(x, y)).flat(),
    ]).flat();
  return Buffer.concat([
    Buffer.from("89504e470d0a1a0a", "hex"),
    chunk("IHDR", header),
    ...(palette ? [chunk("PLTE", Buffer.from(palette))] : []),
    ...(transparency ? [chunk("tRNS", Buffer.from(transparency))] : []),
    // Not compressed, so that no version of a library makes other bytes of it.
    chunk("IDAT", data ?? deflateSync(Buffer.from(rows()), { level: 0 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A JPEG as far as it is looked at: its frame, and an end. */
export function jpeg(width: number, height: number, { colors = 3, bits = 8, frame = 0xc0, end = true } = {}): Buffer {
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  const parts = Array.from({ length: colors }, (_, index) => [index + 1, 0x11, 0]).flat();
  return Buffer.from([
    ...[0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0],
    ...[0xff, frame, 0, 8 + 3 * colors, bits, ...size, colors, ...parts],
    ...[0xff, 0xda, 0, 2, 1, 2, 3],
    ...(end ? [0xff, 0xd9] : []),
  ]);
}
