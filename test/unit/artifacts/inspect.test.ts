import { expect, it } from 'vitest';
import { inspectImage } from '../../../src/artifacts/content/image-shape.js';
import { png } from '../../support/tables/tiny-image.js';

it('inspectImage reads the size of a PNG and of an SVG', () => {
  expect(inspectImage(png({ width: 640, height: 480 }), 'image/png')).toEqual({
    width: 640,
    height: 480,
  });
  const svg = Buffer.from('<svg xmlns="x" width="20" height="10"></svg>');
  expect(inspectImage(svg, 'image/svg+xml')).toEqual({ width: 20, height: 10 });
});

it('inspectImage is null for what is cut, broken or no image that is measured', () => {
  expect(inspectImage(png({ width: 9, height: 9 }).subarray(0, 12), 'image/png')).toBeNull();
  expect(inspectImage(Buffer.from('<svg width="50%"/>'), 'image/svg+xml')).toBeNull();
  expect(inspectImage(Buffer.from('a,b\n'), 'text/csv')).toBeNull();
  expect(inspectImage(Buffer.from('<svg '.repeat(100_000)), 'image/svg+xml')).toBeNull();
});
