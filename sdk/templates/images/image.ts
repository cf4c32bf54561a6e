import { readJpeg } from "./jpeg.js";
import { readPng } from "./png.js";

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

export type ReadImage = Image | { readonly wrong: string };

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
export function wrongSize(width: number, height: number): string | undefined {
  if (width < 1 || height < 1) return "expected an image with pixels, got an empty one";
  return width > LARGEST_SIDE || height > LARGEST_SIDE || width * height > MOST_PIXELS
    ? `expected an image of at most ${LARGEST_SIDE} × ${LARGEST_SIDE} and ${MOST_PIXELS} pixels, got ${width} × ${height}`
    : undefined;
}

const isPng = (bytes: Uint8Array): boolean => Buffer.from(bytes.subarray(0, 8)).toString("hex") === "89504e470d0a1a0a";
const isJpeg = (bytes: Uint8Array): boolean => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff;
