import { type ReadImage, wrongSize } from "./image.js";

const BROKEN = { wrong: "expected a JPEG image, got one that is cut off or broken" };

/** A JPEG goes into the PDF as it is: only its size and its colors have to be known. */
export function readJpeg(bytes: Uint8Array): ReadImage {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let frame: { width: number; height: number; colors: number; bits: number } | undefined;
  for (let at = 2; at + 4 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return BROKEN;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    const length = view.getUint16(at + 2);
    if (length < 2 || at + 2 + length > bytes.length) return BROKEN;
    if (isFrame(marker)) {
      if (length < 8) return BROKEN;
      if (marker > 0xc2) return { wrong: "expected a baseline or progressive JPEG, got another kind" };
      frame = {
        ...{ bits: bytes[at + 4] ?? 0, height: view.getUint16(at + 5), width: view.getUint16(at + 7) },
        colors: bytes[at + 9] ?? 0,
      };
    }
    if (marker === 0xda) return frame && isWhole(bytes) ? imageOf(frame, bytes) : BROKEN;
    at += 2 + length;
  }
  return BROKEN;
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
