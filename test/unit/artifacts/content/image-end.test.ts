/** A picture that is cut anywhere is noticed; one that is whole, or has something behind its end, is not taken for cut. */
import { describe, expect, it } from 'vitest';
import { ImageEnd } from '../../../../src/artifacts/content/image-end.js';
import { PICTURES } from '../../../support/tables/tiny-image.js';

function isWhole(...chunks: readonly Uint8Array[]): boolean | null {
  const end = new ImageEnd();
  for (const chunk of chunks) end.write(chunk);
  return end.isWhole;
}

describe.each(Object.entries(PICTURES))('a picture in %s', (format, bytes) => {
  it('is complete, however it is cut into chunks', () => {
    expect(isWhole(bytes)).toBe(true);
    expect(isWhole(...Array.from(bytes, (byte) => Buffer.from([byte])))).toBe(true);
    for (let at = 1; at < bytes.length; at++) {
      expect(isWhole(bytes.subarray(0, at), bytes.subarray(at)), `cut at ${at}`).toBe(true);
    }
  });

  it('is incomplete even if only its last byte is missing', () => {
    // an AVIF may end between two boxes: the one that holds the pixels comes last
    const from = format === 'avif' ? bytes.length - 40 : 12;
    for (let length = from; length < bytes.length; length++) {
      expect(isWhole(bytes.subarray(0, length)), `${length} bytes`).toBe(false);
    }
  });
});

it.each(['png', 'jpeg', 'gif', 'webp', 'bmp'])(
  'a %s with more bytes after its end is complete',
  (format) => {
    expect(isWhole(PICTURES[format]!, Buffer.from('\0\0 padding'))).toBe(true);
  },
);

it.each(['png', 'jpeg', 'gif', 'webp', 'bmp'])(
  'a %s proves its end, if it is the end',
  (format) => {
    const proves = (...chunks: readonly Uint8Array[]): boolean => {
      const end = new ImageEnd();
      for (const chunk of chunks) end.write(chunk);
      return end.provesEnd;
    };
    const bytes = PICTURES[format]!;
    expect(proves(bytes)).toBe(true);
    expect(proves(bytes.subarray(0, -1), bytes.subarray(-1))).toBe(true);
    expect(proves(bytes.subarray(0, -1))).toBe(false);
    expect(proves(Buffer.concat([bytes, Buffer.from('0')]))).toBe(false);
    expect(proves(bytes, Buffer.from('0'))).toBe(false);
  },
);

it('an end marker inside a thumbnail or a chunk does not count', () => {
  const [png, jpeg] = [PICTURES['png']!, PICTURES['jpeg']!];
  const thumbnail = Buffer.concat([
    Buffer.from([0xff, 0xe1, 0, 8]),
    Buffer.from('ab\xff\xd9cd', 'latin1'),
  ]);
  const withThumbnail = Buffer.concat([jpeg.subarray(0, 2), thumbnail, jpeg.subarray(2)]);
  expect(isWhole(withThumbnail)).toBe(true);
  expect(isWhole(withThumbnail.subarray(0, -2))).toBe(false);
  const text = Buffer.from('\0\0\0\x08tEXtIEND\0\0\0\0....', 'latin1');
  const withText = Buffer.concat([png.subarray(0, 33), text, png.subarray(33)]);
  expect(isWhole(withText)).toBe(true);
  expect(isWhole(withText.subarray(0, -12))).toBe(false);
});

it('images with invalid structures are not complete', () => {
  const [gif, jpeg] = [PICTURES['gif']!, PICTURES['jpeg']!];
  expect(isWhole(Buffer.concat([gif.subarray(0, 25), Buffer.from('nonsense;;;;')]))).toBe(false);
  expect(
    isWhole(Buffer.concat([jpeg.subarray(0, 2), Buffer.from('\xffno sense in this', 'latin1')])),
  ).toBe(false);
  expect(
    isWhole(Buffer.concat([jpeg.subarray(0, 20), Buffer.from('nonsense\xff\xd9', 'latin1')])),
  ).toBe(false);
});

it('bytes that are no image, or too short for one, get no verdict', () => {
  expect(isWhole(Buffer.from('a,b\n1,2\n3,4\n'))).toBeNull();
  expect(isWhole(PICTURES['png']!.subarray(0, 11))).toBeNull();
  expect(isWhole()).toBeNull();
});
