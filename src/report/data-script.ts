/** Data as a classic script: a page opened from disk may not fetch, but it may load scripts from beside it. */
import { createHash } from 'node:crypto';
import { parseJson } from '../base/text/parse-json.js';
import type { Storage } from '../storage/storage.js';

/** Nothing in it can end a script, wherever it is put; keys of objects must not come from data. */
export function dataScript(key: string, data: unknown): Uint8Array {
  return scriptOf(key, JSON.stringify(data));
}

export function scriptOf(key: string, json: string): Uint8Array {
  return escaped(`${startOf(key)}${json});\n`);
}

function startOf(key: string): string {
  return `jobvaultData(${JSON.stringify(key)},`;
}

const [LESS, GREATER] = [0x3c, 0x3e];
/** UTF-8 of U+2028 and U+2029, which end a line of a script. */
const [LINE_END, LINE_END_2, LINE_END_3] = [0xe2, 0x80, 0xa8];
const LONGER = 5;

/** As UTF-8: a pattern over the text takes eight times as long, a fifth of a report. */
function escaped(script: string): Uint8Array {
  const from = Buffer.from(script);
  let escapes = 0;
  for (let at = 0; at < from.length; at++) if (escapeAt(from, at) !== undefined) escapes++;
  if (escapes === 0) return from;
  const to = Buffer.allocUnsafe(from.length + escapes * LONGER);
  let end = 0;
  for (let at = 0; at < from.length; at++) {
    const escape = escapeAt(from, at);
    if (escape === undefined) {
      to[end++] = from[at] ?? 0;
      continue;
    }
    for (let index = 0; index < escape.length; index++) to[end++] = escape.charCodeAt(index);
    if (from[at] === LINE_END) at += 2;
  }
  return to.subarray(0, end);
}

function escapeAt(bytes: Uint8Array, at: number): string | undefined {
  const byte = bytes[at];
  if (byte === LESS) return '\\u003c';
  if (byte === GREATER) return '\\u003e';
  if (byte !== LINE_END || bytes[at + 1] !== LINE_END_2) return undefined;
  const third = bytes[at + 2] ?? 0;
  if ((third & 0xfe) !== LINE_END_3) return undefined;
  return third === LINE_END_3 ? '\\u2028' : '\\u2029';
}

/** What `dataScript` has made. @throws {SyntaxError} it is something else */
export function dataIn(key: string, script: string): unknown {
  const start = startOf(key);
  if (!script.startsWith(start)) throw new SyntaxError(`the file of ${key} begins otherwise`);
  return parseJson(script.slice(start.length, script.lastIndexOf(')')));
}

/** The digest of a file that may be as long as a table. @throws {ObjectNotFoundError} */
export async function digestOf(storage: Storage, path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of storage.read(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** The files of a report but itself and the mark, as `sha256sum` lists them, seen from the report. The mark has its digest. */
export const FILES_LIST = 'data/jobvault-files.sha256';

/** @returns SHA-256 by path */
export function digestsIn(list: string): ReadonlyMap<string, string> {
  const lines = list.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(SHA256 + 2), line.slice(0, SHA256)]));
}

/** Characters of a digest. */
const SHA256 = 64;

/** What tells a report from any other directory. */
export const REPORT_MARK = 'data/jobvault-report.json';

/** What an earlier report has at its top: one that has nothing else may be replaced. */
export const REPORT_ENTRIES = ['index.html', 'data'] as const;
