import { inflateSync } from "node:zlib";
import { type Colors, type ReadImage, wrongSize } from "./image.js";

const BROKEN = { wrong: "expected a PNG image, got one that is cut off or broken" };

interface Header {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly type: number;
  readonly interlaced: boolean;
}

interface Chunks {
  readonly header: Header;
  readonly palette: Uint8Array | undefined;
  readonly transparency: Uint8Array | undefined;
  readonly data: Uint8Array;
}

const GRAY = 0;
const RGB = 2;
const PALETTE = 3;
const GRAY_ALPHA = 4;
const RGB_ALPHA = 6;
const CHANNELS: Readonly<Record<number, number>> = {
  [GRAY]: 1,
  [RGB]: 3,
  [PALETTE]: 1,
  [GRAY_ALPHA]: 2,
  [RGB_ALPHA]: 4,
};

/**
 * A PNG goes into the PDF as it is packed, so that no two machines pack it differently. One that can be seen through is
 * unpacked and laid on white, as paper is.
 */
export function readPng(bytes: Uint8Array): ReadImage {
  const chunks = chunksIn(bytes);
  if ("wrong" in chunks) return chunks;
  const { header, palette, transparency, data } = chunks;
  const { width, height, bits, type, interlaced } = header;
  const channels = CHANNELS[type];
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(bits)) return BROKEN;
  const wrong = wrongSize(width, height);
  if (wrong !== undefined) return { wrong };
  if (interlaced) return { wrong: "expected a PNG that isn't interlaced, got one that is; save it without" };
  if (type === PALETTE && (palette === undefined || palette.length === 0 || palette.length % 3 > 0 || bits > 8))
    return BROKEN;
  const rowLength = Math.ceil((width * channels * bits) / 8);
  const pixels = unpacked(data, (rowLength + 1) * height);
  if (!pixels) return BROKEN;
  for (let row = 0; row < height; row++) if ((pixels[row * (rowLength + 1)] ?? 5) > 4) return BROKEN;
  const size = { width, height };
  const seenThrough = type === GRAY_ALPHA || type === RGB_ALPHA || (type === PALETTE && transparency !== undefined);
  if (!seenThrough) {
    const colors: Colors =
      type === PALETTE && palette ? { kind: "palette", entries: palette } : { kind: type === GRAY ? "gray" : "rgb" };
    const hidden = transparency && hiddenColor(transparency, type === GRAY ? 1 : 3);
    return { ...size, bits, colors, bytes: data, packed: "png", ...(hidden ? { hidden } : {}) };
  }
  if (bits !== 8)
    return {
      wrong: `expected a PNG with transparency to have 8 bits a color, got ${bits}; save it with 8, or without transparency`,
    };
  unfilter(pixels, { rowLength, height, step: channels });
  const rgb = onWhite(pixels, { ...header, rowLength, channels }, palette, transparency);
  return { ...size, bits: 8, colors: { kind: "rgb" }, bytes: rgb, packed: "pixels" };
}

function chunksIn(bytes: Uint8Array): Chunks | { readonly wrong: string } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let header: Header | undefined;
  let palette: Uint8Array | undefined;
  let transparency: Uint8Array | undefined;
  const data: Uint8Array[] = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const length = view.getUint32(at);
    const name = Buffer.from(bytes.subarray(at + 4, at + 8)).toString("latin1");
    const content = bytes.subarray(at + 8, at + 8 + length);
    if (at + 12 + length > bytes.length) return BROKEN;
    if (name === "IHDR" && length >= 13)
      header = {
        ...{ width: view.getUint32(at + 8), height: view.getUint32(at + 12) },
        ...{ bits: content[8] ?? 0, type: content[9] ?? 0, interlaced: content[12] !== 0 },
      };
    if (name === "PLTE") palette = content;
    if (name === "tRNS") transparency = content;
    if (name === "IDAT") data.push(content);
    if (name === "IEND") return header ? { header, palette, transparency, data: Buffer.concat(data) } : BROKEN;
    at += 12 + length;
  }
  return BROKEN;
}

/** Never more than so many bytes, whatever the data would unpack to. */
function unpacked(data: Uint8Array, length: number): Buffer | undefined {
  try {
    const pixels = inflateSync(data, { maxOutputLength: length });
    return pixels.length === length ? pixels : undefined;
  } catch {
    return undefined;
  }
}

/** Undoes what each row says of how it is written: as its difference to the pixel on its left, above it, or both. */
function unfilter(
  pixels: Buffer,
  { rowLength, height, step }: { rowLength: number; height: number; step: number },
): void {
  const stride = rowLength + 1;
  for (let row = 0; row < height; row++) {
    const start = row * stride + 1;
    const filter = pixels[start - 1];
    for (let at = 0; at < rowLength; at++) {
      const left = at >= step ? (pixels[start + at - step] ?? 0) : 0;
      const up = row > 0 ? (pixels[start + at - stride] ?? 0) : 0;
      const corner = row > 0 && at >= step ? (pixels[start + at - stride - step] ?? 0) : 0;
      const guess =
        filter === 1
          ? left
          : filter === 2
            ? up
            : filter === 3
              ? (left + up) >> 1
              : filter === 4
                ? paeth(left, up, corner)
                : 0;
      pixels[start + at] = ((pixels[start + at] ?? 0) + guess) & 0xff;
    }
  }
}

function paeth(left: number, up: number, corner: number): number {
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}

function onWhite(
  pixels: Buffer,
  { width, height, type, rowLength, channels }: Header & { rowLength: number; channels: number },
  palette: Uint8Array | undefined,
  transparency: Uint8Array | undefined,
): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  let to = 0;
  for (let row = 0; row < height; row++) {
    let from = row * (rowLength + 1) + 1;
    for (let column = 0; column < width; column++, from += channels) {
      const first = pixels[from] ?? 0;
      const alpha = type === PALETTE ? (transparency?.[first] ?? 255) : (pixels[from + channels - 1] ?? 255);
      for (let color = 0; color < 3; color++) {
        const ink =
          type === PALETTE
            ? (palette?.[first * 3 + color] ?? 0)
            : type === GRAY_ALPHA
              ? first
              : (pixels[from + color] ?? 0);
        rgb[to++] = Math.floor((ink * alpha + 255 * (255 - alpha) + 127) / 255);
      }
    }
  }
  return rgb;
}

/** The color that a PNG without transparency marks as not to be printed, as a PDF says it: from and to, for each. */
function hiddenColor(transparency: Uint8Array, colors: number): readonly number[] | undefined {
  if (transparency.length < colors * 2) return undefined;
  const view = new DataView(transparency.buffer, transparency.byteOffset, transparency.byteLength);
  return Array.from({ length: colors }, (_, index) => view.getUint16(index * 2)).flatMap(value => [value, value]);
}
