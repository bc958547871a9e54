/** The files of made-up answers: a table or a chart of the fixtures, with bytes of its own for each key, so that a file is the same as no other. */
import { crc32 } from 'node:zlib';
import { sha256Hex } from '../../base/digest.js';
import { fixture, type Topic } from '../fixtures.js';
import type { FileContent } from './seeded-ids.js';

/** Every chart has this size: what a picture lacks is padding. */
const CHART_BYTES = 8000;
/**
 * The bytes of a chunk of PNG beside its contents: its length, its type and its checksum. The last chunk of a file is an
 * empty one.
 */
const CHUNK_BYTES = 12;

/** Each row names the extract that it is from, which differs by key. */
export function seededTable({ id }: Topic, key: string): FileContent {
  const extract = `ex-${sha256Hex(key).slice(0, 8)}`;
  return csvFile(fixture(`tables/${id}.csv`).toString().replaceAll('{{extract}}', extract));
}

/** As spreadsheets on Windows save it: a byte order mark and CRLF. */
export function windowsTable(topic: Topic, key: string): FileContent {
  const text = Buffer.from(seededTable(topic, key).bytes).toString();
  return csvFile(`\ufeff${text.replaceAll('\n', '\r\n')}`);
}

export function seededChart({ picture }: Topic, key: string): FileContent {
  const png = fixture(`pictures/${picture}.png`);
  const beforeEnd = png.length - CHUNK_BYTES;
  const padding = paddingOf(sha256Hex(key), CHART_BYTES - png.length);
  const parts = [png.subarray(0, beforeEnd), padding, png.subarray(beforeEnd)];
  return { bytes: Buffer.concat(parts), mediaType: 'image/png' };
}

export function csvFile(text: string): FileContent {
  return { bytes: Buffer.from(text), mediaType: 'text/csv' };
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
