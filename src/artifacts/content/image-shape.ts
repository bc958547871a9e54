/** Reads an image's size from its first bytes. A size that cannot be read is null, never an error. */
import { imageSize } from 'image-size';

export interface ImageShape {
  /** Pixels, as stored: rotation hints are not applied. */
  readonly width: number;
  readonly height: number;
}

const MEASURED: ReadonlySet<string> = new Set([
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/heic',
  'image/heif',
  'image/jp2',
  'image/jpeg',
  'image/jxl',
  'image/png',
  'image/svg+xml',
  'image/tiff',
  'image/webp',
  'image/x-icon',
]);
/** image-size searches `<svg` with a pattern that takes quadratic time on a hostile text. */
const SVG_HEAD_BYTES = 8192;
const LARGEST_INT32 = 2 ** 31 - 1;

export function inspectImage(head: Uint8Array, mediaType: string): ImageShape | null {
  if (!MEASURED.has(mediaType)) return null;
  try {
    const part = mediaType === 'image/svg+xml' ? head.subarray(0, SVG_HEAD_BYTES) : head;
    const { width, height } = imageSize(part);
    return isPixels(width) && isPixels(height) ? { width, height } : null;
  } catch {
    return null;
  }
}

function isPixels(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LARGEST_INT32;
}
