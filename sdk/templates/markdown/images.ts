import { type Image, readImage } from "../images.js";
import { placeText, type SourceLocation } from "../language/files.js";
import { markedImage } from "../language/references.js";
import type { MarkdownSource } from "../source.js";

/** An image with the width it is printed in, in points. */
export interface SizedImage {
  readonly image: Image;
  readonly width: number;
  readonly height: number;
  readonly path: string;
}

/** The images of a template, and where each is first named. */
export interface Images {
  readonly parts: MarkdownSource["parts"];
  readonly locations: ReadonlyMap<string, SourceLocation>;
  /** Pixels of those that were read, by path; of one that is broken nobody knows how many. */
  readonly pixels: Map<string, number | undefined>;
}

/** Of all images of a template: each is unpacked to be read. */
const MOST_PIXELS = 40_000_000;
/** Each of them was unpacked, too: what is wrong with others is said once these are mended. */
const MOST_BROKEN = 4;

/** Pixels that make an inch where the template doesn't say how wide an image is. */
const RESOLUTION = 150;
const POINTS_IN_MM = 72 / 25.4;

/** The image of an address, as wide as `size` says: `40mm`. */
export function sizedImage(
  { parts, locations, pixels }: Images,
  { address, size }: { readonly address: string; readonly size: string | undefined },
  problems: string[],
): SizedImage | undefined {
  const path = markedImage(address);
  if (path === undefined) {
    problems.push("an image can't be printed without the path of its file, and the path takes no variable");
    return undefined;
  }
  const location = locations.get(path);
  const wrong = (reason: string): undefined => {
    problems.push(`${location ? placeText(location) : "the template"}: the image ${path}: ${reason}`);
  };
  const part = parts.get(path);
  if (part?.kind === "missing") return wrong(part.reason);
  if (part?.kind !== "image") return wrong("expected fewer clauses and images, got more than a template may have");
  const read = pixels.has(path) ? [] : [...pixels.values()];
  if (read.filter(each => each === undefined).length >= MOST_BROKEN) return undefined;
  const others = read.reduce((sum: number, each) => sum + (each ?? 0), 0);
  if (others > MOST_PIXELS) return wrong(TOO_MANY_PIXELS);
  const image = readImage(part.bytes);
  pixels.set(path, "wrong" in image ? undefined : image.width * image.height);
  if ("wrong" in image) return wrong(image.wrong);
  if (others + image.width * image.height > MOST_PIXELS) return wrong(TOO_MANY_PIXELS);
  const width = size === undefined ? (image.width / RESOLUTION) * 72 : widthIn(size);
  if (width === undefined) return wrong(`expected a width such as "40mm" after the path, got ${JSON.stringify(size)}`);
  return { image, width, height: (width * image.height) / image.width, path };
}

const TOO_MANY_PIXELS = `expected images of at most ${MOST_PIXELS} pixels together, got more; save them smaller`;

function widthIn(size: string): number | undefined {
  const [, millimeters] = /^\s*(\d{1,3}(?:\.\d)?)\s*mm\s*$/.exec(size) ?? [];
  return Number(millimeters) > 0 ? Number(millimeters) * POINTS_IN_MM : undefined;
}

/** The same image, no larger than this. */
export function within(image: SizedImage, width: number, height: number): SizedImage {
  const scale = Math.min(1, width / image.width, height / image.height);
  return { ...image, width: image.width * scale, height: image.height * scale };
}
