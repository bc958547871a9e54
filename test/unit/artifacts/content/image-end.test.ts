/** A picture that is cut anywhere is noticed; one that is whole, or has something behind its end, is not taken for cut. */
import { describe, expect, it } from 'vitest';
import { ImageEnd } from '../../../../src/artifacts/content/image-end.js';
import { PICTURES } from '../../../support/tables/tiny-image.js';

function read(...chunks: readonly Uint8Array[]): ImageEnd {
  const end = new ImageEnd();
  for (const chunk of chunks) end.write(chunk);
  return end;
}

function isWhole(...chunks: readonly Uint8Array[]): boolean | null {
  return read(...chunks).isWhole;
}

/** Its bytes with others put in. */
function withBytes(bytes: Uint8Array, at: number, ...others: readonly number[]): Buffer {
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(others), bytes.subarray(at)]);
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
    const proves = (...chunks: readonly Uint8Array[]) => read(...chunks).provesEnd;
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

it('what is no image proves no end, however short it is', () => {
  expect(read(Buffer.from('a,b\n1,2\n')).provesEnd).toBe(false);
  expect(read(Buffer.from('a,b\n1,2\n3,4\n5,6\n')).provesEnd).toBe(false);
  expect(read().provesEnd).toBe(false);
});

it.each([
  ['a sound in RIFF', 'RIFF\x04\0\0\0WAVE'],
  ['WEBP behind other letters', 'RIFX\x04\0\0\0WEBP'],
  ['a text that begins like a bitmap', 'BM,kg\n1,70\n2,80\n'],
  ['a text with the zeros of a bitmap', 'MB\x0e\0\0\0\0\0\0\0\0\0\0\0'],
])('%s gets no verdict', (_, bytes) => {
  expect(isWhole(Buffer.from(bytes, 'latin1'))).toBeNull();
});

describe('a JPEG', () => {
  const jpeg = PICTURES['jpeg']!;
  const inScan = jpeg.length - 3;
  const secondSegment = 4 + Buffer.from(jpeg).readUInt16BE(4);

  it.each([
    ['an 0xff of the pixels', [0xff, 0x00]],
    ['the first restart', [0xff, 0xd0]],
    ['the last restart', [0xff, 0xd7]],
    ['a marker that is filled up', [0xff, 0xff, 0xd3]],
    ['the temporary marker', [0xff, 0x01]],
  ])('goes on behind %s, and is incomplete without its end', (_, bytes) => {
    const picture = withBytes(jpeg, inScan, ...bytes);
    expect(read(picture).provesEnd).toBe(true);
    expect(isWhole(picture.subarray(0, -1))).toBe(false);
    expect(isWhole(picture.subarray(0, -2))).toBe(false);
  });

  it('has markers without a length outside of a scan, too', () => {
    expect(isWhole(withBytes(jpeg, secondSegment, 0xff, 0x01))).toBe(true);
    expect(isWhole(withBytes(jpeg, secondSegment, 0xff, 0xff, 0xd0))).toBe(true);
  });

  it('is broken by a byte between two of its segments', () => {
    expect(isWhole(withBytes(jpeg, secondSegment, 0))).toBe(false);
  });
});

describe('a GIF', () => {
  const gif = PICTURES['gif']!;

  it('may have zeros between its blocks', () => {
    expect(read(withBytes(gif, gif.length - 1, 0, 0)).provesEnd).toBe(true);
  });

  it('is broken by a block of an unknown kind', () => {
    expect(isWhole(withBytes(gif, gif.length - 1, 0x22, 0xf9, 0))).toBe(false);
  });
});

const avif = PICTURES['avif']!;
const withBox = (...bytes: readonly number[]) => withBytes(avif, avif.length, ...bytes);
const free = [0x66, 0x72, 0x65, 0x65];

it('a picture of boxes may end behind an empty box, and not inside of a heading', () => {
  expect(isWhole(withBox(0, 0, 0, 8, ...free))).toBe(true);
  expect(isWhole(withBox(0, 0, 0, 8, ...free, 0, 0, 0, 8, ...free))).toBe(true);
  for (let length = 1; length < 8; length++) {
    expect(isWhole(withBox(...[0, 0, 0, 8, ...free].slice(0, length))), `${length}`).toBe(false);
  }
});

it('a picture of boxes reads the length of a large box', () => {
  const large = [0, 0, 0, 1, ...free, 0, 0, 0, 0, 0, 0, 0, 20, 1, 2, 3, 4];
  expect(isWhole(withBox(...large))).toBe(true);
  expect(isWhole(withBox(...large.slice(0, -1)))).toBe(false);
  expect(isWhole(withBox(...large, 0, 0, 0, 8, ...free))).toBe(true);
});

it('a picture of boxes is whole with a last box that goes to the end, and proves nothing', () => {
  const picture = withBox(0, 0, 0, 0, ...free, 1, 2);
  expect(isWhole(picture)).toBe(true);
  expect(read(picture).provesEnd).toBe(false);
  expect(read(avif).provesEnd).toBe(false);
});

it('a picture of boxes is broken by a box that is shorter than its heading', () => {
  expect(isWhole(withBox(0, 0, 0, 7, ...free, 0, 0, 0, 8, ...free))).toBe(false);
});
