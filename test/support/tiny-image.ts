/** Small real images, drawn on the spot. */
import { PNG } from 'pngjs';

export function png({
  width,
  height,
}: {
  readonly width: number;
  readonly height: number;
}): Buffer {
  return PNG.sync.write(new PNG({ width, height }));
}
