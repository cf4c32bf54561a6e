import { inflateSync } from "node:zlib";

/** An image as a PDF holds it: its bytes with how to read them. */
export interface Image {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly colors: Colors;
  readonly bytes: Uint8Array;
  /** How the bytes are packed; `pixels` aren't yet. */
  readonly packed: "jpeg" | "png" | "pixels";
  /** A color that isn't printed. */
  readonly hidden?: readonly number[];
}

export type Colors =
  | { readonly kind: "gray" | "rgb" }
  | { readonly kind: "palette"; readonly entries: Uint8Array<ArrayBufferLike> };

type ReadImage = Image | { readonly wrong: string };

const LARGEST_SIDE = 5_000;
const MOST_PIXELS = 10_000_000;

/** Reads a PNG or JPEG as far as it has to be known before it is printed. */
export function readImage(bytes: Uint8Array): ReadImage {
  const known = read.get(bytes);
  if (known) return known;
  const image = isPng(bytes) ? readPng(bytes) : isJpeg(bytes) ? readJpeg(bytes) : undefined;
  const answer = image ?? { wrong: "expected a PNG or JPEG image, got something else" };
  read.set(bytes, answer);
  return answer;
}

const read = new WeakMap<Uint8Array, ReadImage>();

/** What is wrong with an image's size: it is said before its pixels are looked at. */
function wrongSize(width: number, height: number): string | undefined {
  if (width < 1 || height < 1) return "expected an image with pixels, got an empty one";
  return width > LARGEST_SIDE || height > LARGEST_SIDE || width * height > MOST_PIXELS
    ? `expected an image of at most ${LARGEST_SIDE} × ${LARGEST_SIDE} and ${MOST_PIXELS} pixels, got ${width} × ${height}`
    : undefined;
}

const isPng = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 8)).toString("hex") === "89504e470d0a1a0a";
const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;

// ---- JPEG ----

const BROKEN_JPEG = { wrong: "expected a JPEG image, got one that is cut off or broken" };

/** A JPEG goes into the PDF as it is: only its size and its colors have to be known. */
function readJpeg(bytes: Uint8Array): ReadImage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let frame: { width: number; height: number; colors: number; bits: number } | undefined;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return BROKEN_JPEG;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const length = view.getUint16(at + 2);
    if (length < 2 || at + 2 + length > bytes.length) return BROKEN_JPEG;
    if (isFrame(marker)) {
      if (length < 8) return BROKEN_JPEG;
      if (marker > 0xc2) return { wrong: "expected a baseline or progressive JPEG, got another kind" };
      frame = {
        ...{ bits: bytes[at + 4] ?? 0, height: view.getUint16(at + 5), width: view.getUint16(at + 7) },
        colors: bytes[at + 9] ?? 0,
      };
    }
    if (marker === 0xda) return frame && isWhole(bytes) ? imageOf(frame, bytes) : BROKEN_JPEG;
    at += 2 + length;
  }
  return BROKEN_JPEG;
}

function imageOf(
  { width, height, colors, bits }: { width: number; height: number; colors: number; bits: number },
  bytes: Uint8Array,
): ReadImage {
  const wrong = wrongSize(width, height);
  if (wrong !== undefined) return { wrong };
  if (bits !== 8 || (colors !== 1 && colors !== 3))
    return { wrong: "expected a JPEG in gray or RGB with 8 bits a color, got another; CMYK has to be converted" };
  return { width, height, bits, colors: { kind: colors === 1 ? "gray" : "rgb" }, bytes, packed: "jpeg" };
}

/** Start of a frame; those between are tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Some cameras write after the end. */
const isWhole = (bytes: Uint8Array): boolean => Buffer.from(bytes).lastIndexOf(Buffer.from([0xff, 0xd9])) > 0;

// ---- PNG ----

const BROKEN_PNG = { wrong: "expected a PNG image, got one that is cut off or broken" };

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
function readPng(bytes: Uint8Array): ReadImage {
  const chunks = chunksIn(bytes);
  if ("wrong" in chunks) return chunks;
  const { header, palette, transparency, data } = chunks;
  const { width, height, bits, type, interlaced } = header;
  const channels = CHANNELS[type];
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(bits)) return BROKEN_PNG;
  const wrong = wrongSize(width, height);
  if (wrong !== undefined) return { wrong };
  if (interlaced) return { wrong: "expected a PNG that isn't interlaced, got one that is; save it without" };
  if (type === PALETTE && (palette === undefined || palette.length === 0 || palette.length % 3 > 0 || bits > 8))
    return BROKEN_PNG;
  const rowLength = Math.ceil((width * channels * bits) / 8);
  const pixels = unpacked(data, (rowLength + 1) * height);
  if (!pixels) return BROKEN_PNG;
  for (let row = 0; row < height; row++) if ((pixels[row * (rowLength + 1)] ?? 5) > 4) return BROKEN_PNG;
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
    if (at + 12 + length > bytes.length) return BROKEN_PNG;
    if (name === "IHDR" && length >= 13)
      header = {
        ...{ width: view.getUint32(at + 8), height: view.getUint32(at + 12) },
        ...{ bits: content[8] ?? 0, type: content[9] ?? 0, interlaced: content[12] !== 0 },
      };
    if (name === "PLTE") palette = content;
    if (name === "tRNS") transparency = content;
    if (name === "IDAT") data.push(content);
    if (name === "IEND") return header ? { header, palette, transparency, data: Buffer.concat(data) } : BROKEN_PNG;
    at += 12 + length;
  }
  return BROKEN_PNG;
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
