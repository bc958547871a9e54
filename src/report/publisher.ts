/** Writes the report's files, several at a time: most of it is waiting for the disk to say that they are safe. */
import { createHash } from 'node:crypto';
import { Background } from '../base/concurrently.js';
import { sha256Hex } from '../base/digest.js';
import { beginningOf } from '../base/text/short-texts.js';
import { parseJson } from '../base/text/parse-json.js';
import type { EarlierDirectory } from '../storage/local/whole-directory.js';
import type { Storage } from '../storage/storage.js';
import { StagedText } from '../storage/staged-text.js';
import { FileDigests } from './file-digests.js';

const WRITERS = 16;
/** Of a long text, written at a time. */
const PIECE_CHARACTERS = 256 * 1024;

/** An earlier report, and what its files were when they were written. */
export interface EarlierFiles {
  readonly directory: EarlierDirectory;
  /** SHA-256 by path. */
  readonly digests: ReadonlyMap<string, string>;
}

export interface PublisherOptions {
  /** Files of it that are the same are kept, not written; undefined: there is none, or everything is written. */
  readonly earlier?: EarlierFiles | undefined;
  /** Whether a later report may keep files of this one: then they are listed with their digests. */
  readonly isListed?: boolean | undefined;
}

/** What takes the files of a report: a storage, or what has the report as its page. */
export type PublishTarget = Pick<Storage, 'put' | 'stage' | 'delete'>;

export class Publisher {
  files = 0;
  bytes = 0;
  /** Of the files, those that are the earlier report's. */
  kept = 0;
  readonly #background = new Background(WRITERS);
  readonly #target: PublishTarget;
  readonly #earlier: EarlierFiles | undefined;
  /** Of each file; undefined where they are not listed. */
  readonly #listed: FileDigests | undefined;

  constructor(target: PublishTarget, { earlier, isListed = false }: PublisherOptions = {}) {
    this.#target = target;
    this.#earlier = earlier;
    this.#listed = isListed ? new FileDigests() : undefined;
  }

  /** Keeps a file of the earlier report. @returns false: there is none, it is not as it was written, or it cannot be kept */
  async keep(path: string): Promise<boolean> {
    const sha256 = this.#earlier?.digests.get(path);
    if (!this.#earlier || sha256 === undefined) return false;
    const { storage } = this.#earlier.directory;
    if ((await digestOf(storage, path).catch(() => undefined)) !== sha256) return false;
    const bytes = await this.#earlier.directory.keep(path);
    if (bytes === undefined) return false;
    this.#listed?.set(path, sha256);
    this.files++;
    this.kept++;
    this.bytes += bytes;
    return true;
  }

  /** Resolves when more may be written. @throws what an earlier write has thrown */
  async data(key: string, data: unknown): Promise<void> {
    await this.#put(`data/${key}.js`, dataScript(key, data));
  }

  /** Keeps all of these, or none. */
  async keepAll(paths: readonly string[]): Promise<boolean> {
    const before = { files: this.files, kept: this.kept, bytes: this.bytes };
    for (const path of paths) {
      if (await this.keep(path)) continue;
      Object.assign(this, before);
      for (const one of paths) {
        this.#listed?.delete(one);
        await this.#target.delete(one);
      }
      return false;
    }
    return true;
  }

  /** Data whose JSON is made already. */
  async json(key: string, json: string): Promise<void> {
    await this.#put(`data/${key}.js`, scriptOf(key, json));
  }

  async put(path: string, text: string): Promise<void> {
    await this.#put(path, Buffer.from(text));
  }

  async file(path: string, bytes: Uint8Array): Promise<void> {
    await this.#put(path, bytes);
  }

  async #put(path: string, bytes: Uint8Array): Promise<void> {
    const sha256 = this.#listed && sha256Hex(bytes);
    if (sha256 !== undefined) {
      if (this.#earlier?.digests.get(path) === sha256 && (await this.keep(path))) return;
      this.#listed?.set(path, sha256);
    }
    await this.#run(() => this.#target.put(path, bytes), bytes.byteLength);
  }

  /** Writes the list of all files so far. @returns its digest; null where they are not listed */
  async list(): Promise<string | null> {
    if (!this.#listed) return null;
    await this.finish();
    const file = await this.lines(FILES_LIST);
    for (const line of this.#listed.lines()) await file.write(line);
    return file.finish();
  }

  /** A copy of an object of another storage. */
  async copy(path: string, bytes: number, from: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#run(async () => {
      const staged = await this.#target.stage({ expectedBytes: bytes });
      try {
        for await (const chunk of from) await staged.write(chunk);
        const { sha256 } = await staged.close();
        this.#listed?.set(path, sha256);
        await staged.publish(path);
      } catch (error) {
        await staged.discard();
        throw error;
      }
    }, bytes);
  }

  /** A file of lines that grows while others are written; `finish` gives its SHA-256. */
  async lines(
    path: string,
  ): Promise<{ write(line: string): Promise<void>; finish(): Promise<string> }> {
    const staged = await this.#target.stage();
    const text = new StagedText(staged);
    return {
      write: (line) => text.write(line, '\n'),
      finish: async () => {
        const { bytes, sha256 } = await text.close();
        this.#listed?.set(path, sha256);
        await this.#run(() => staged.publish(path), bytes);
        return sha256;
      },
    };
  }

  /** A long text, piece by piece: resolves when it is written. @returns its bytes, without the mark */
  async text(path: string, mark: string, text: string): Promise<number> {
    const staged = await this.#target.stage();
    let bytes = 0;
    try {
      if (mark !== '') await staged.write(Buffer.from(mark));
      for (let start = 0; start < text.length;) {
        const piece = beginningOf(
          text.slice(start, start + PIECE_CHARACTERS + 1),
          PIECE_CHARACTERS,
        );
        start += piece.length;
        const encoded = Buffer.from(piece);
        bytes += encoded.byteLength;
        await staged.write(encoded);
      }
      const { sha256 } = await staged.close();
      this.#listed?.set(path, sha256);
      await staged.publish(path);
    } catch (error) {
      await staged.discard();
      throw error;
    }
    this.files++;
    this.bytes += bytes + Buffer.byteLength(mark);
    return bytes;
  }

  /** Nothing is being written any more, whatever has come of it. */
  async settle(): Promise<void> {
    await this.#background.settle();
  }

  /** Everything is written. @throws what a write has thrown */
  async finish(): Promise<void> {
    await this.#background.finish();
  }

  async #run(write: () => Promise<void>, bytes: number): Promise<void> {
    await this.#background.begin(write);
    this.files++;
    this.bytes += bytes;
  }
}

/** Data as a classic script: a page opened from disk may not fetch, but it may load scripts from beside it. */

/** Nothing in it can end a script, wherever it is put; keys of objects must not come from data. */
export function dataScript(key: string, data: unknown): Uint8Array {
  return scriptOf(key, JSON.stringify(data));
}

function scriptOf(key: string, json: string): Uint8Array {
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
    for (let one = 0; one < escape.length; one++) to[end++] = escape.charCodeAt(one);
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

/** Of a file that may be as long as a table. @throws {ObjectNotFoundError} */
async function digestOf(storage: Storage, path: string): Promise<string> {
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
