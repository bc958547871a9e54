/** The chart of a made-up answer: one of six pictures in `pictures`, with as many bars as there are rows, or a line, and no number. */
import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { sha256Hex } from '../base/digest.js';
import type { FileContent } from './seed/seeded-ids.js';
import type { Figures } from './seed/figures.js';

/** Beside the modules, and beside the folder of the built program. */
const PICTURES = new URL('../emulator/pictures/', import.meta.url);
/** Every chart has this size: what a picture lacks is padding. */
const BYTES = 8000;
/** Of a chunk of PNG: its length, its type and its checksum. The last chunk of a file is an empty one. */
const CHUNK_BYTES = 12;

const read = new Map<string, Buffer>();

/** Charts of the same figures have the same bytes; others differ in their padding. */
export function chartPicture(figures: Figures): FileContent {
  const { topic, rows, period } = figures;
  const picture = pictureNamed(nameOf(figures));
  const shown = JSON.stringify([topic.measure, topic.dimension, topic.chart, period, rows]);
  const beforeEnd = picture.length - CHUNK_BYTES;
  const padding = paddingOf(sha256Hex(shown), BYTES - picture.length);
  const parts = [picture.subarray(0, beforeEnd), padding, picture.subarray(beforeEnd)];
  return { bytes: Buffer.concat(parts), mediaType: 'image/png' };
}

function nameOf({ topic, rows }: Figures): string {
  if (topic.chart === 'bar') return `bars-${rows.length}`;
  const isRising = (rows.at(-1)?.value ?? 0) >= (rows[0]?.value ?? 0);
  return isRising ? 'months-rising' : 'months-falling';
}

function pictureNamed(name: string): Buffer {
  const picture = read.get(name) ?? readFileSync(new URL(`${name}.png`, PICTURES));
  read.set(name, picture);
  return picture;
}

/** A comment of PNG, of so many bytes with all that belongs to the chunk. */
function paddingOf(text: string, bytes: number): Buffer {
  const keyword = 'Comment\0';
  const length = bytes - CHUNK_BYTES;
  const repeated = text.repeat(Math.ceil(length / text.length));
  const body = Buffer.from(`tEXt${(keyword + repeated).slice(0, length)}`, 'latin1');
  const [size, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(length);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([size, body, checksum]);
}
