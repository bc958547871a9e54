/**
 * The sessions of users in a snapshot: those of many in one gzip member, a line of JSON for each user. The members come
 * before the rest of the snapshot and stay packed in memory until somebody asks for a user in them: 1,000,000 sessions
 * take 10 MB so, and 400 MB as objects.
 */
import { gunzipSync } from 'node:zlib';
import { gzipBytes } from '../../base/gzip.js';
import type { ByteSink } from '../../formats/format.js';
import { IntegrityError } from '../archive-errors.js';

/** A member with sessions. */
export interface SessionsPart {
  /** The size of the gzip member. */
  readonly bytes: number;
  /** Users whose sessions it has. */
  readonly lines: number;
}

/** Where the sessions of a user are: a part by its place among all, and a line of it; both from 0. */
export type SessionsPlace = readonly [part: number, line: number];

/** The length of a part's text: of a user who is asked for, a part is unpacked. */
const PART_LENGTH = 512 * 1024;
/** Parts whose lines are in memory: users who are asked for one after the other are mostly in the same. */
const KEPT_PARTS = 4;

export class PackedSessions {
  readonly #path: string;
  readonly #members: readonly Uint8Array[];
  readonly #parts: readonly SessionsPart[];
  /** By part; the least recently used comes first. */
  readonly #kept = new Map<number, readonly string[]>();

  /**
   * @param path of the snapshot
   * @param bytes of its members with sessions
   * @throws {SyntaxError} the parts are not what the bytes have
   */
  constructor(path: string, bytes: Uint8Array, parts: readonly SessionsPart[]) {
    this.#path = path;
    this.#parts = parts;
    let from = 0;
    this.#members = parts.map((part) => bytes.subarray(from, (from += part.bytes)));
    if (from !== bytes.byteLength) throw new SyntaxError('its sessions end at another place');
  }

  /** Whether a part has such a line. */
  has([part, line]: SessionsPlace): boolean {
    return line < (this.#parts[part]?.lines ?? 0);
  }

  /** @throws {IntegrityError} the snapshot is not what a log gives, although a commit names it */
  lineOf([part, line]: SessionsPlace): string {
    const text = this.#linesOf(part)[line];
    if (text === undefined) throw this.unreadable();
    return text;
  }

  #linesOf(part: number): readonly string[] {
    const lines = this.#kept.get(part) ?? this.#read(part);
    this.#kept.delete(part);
    this.#kept.set(part, lines);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > KEPT_PARTS) this.#kept.delete(oldest);
    return lines;
  }

  #read(part: number): readonly string[] {
    let lines: string[];
    try {
      lines = gunzipSync(this.#members[part] ?? new Uint8Array())
        .toString()
        .split('\n');
    } catch {
      throw this.unreadable();
    }
    if (lines.pop() !== '' || lines.length !== this.#parts[part]?.lines) throw this.unreadable();
    return lines;
  }

  /** What is thrown where a line is not what it should be. */
  unreadable(): IntegrityError {
    const detail = 'has no sessions where it says that they are; verify --repair removes it';
    return new IntegrityError(this.#path, 'state', detail);
  }
}

/** Writes parts as lines come. */
export class SessionsWriter {
  /** The parts that are written. */
  readonly parts: SessionsPart[] = [];
  readonly #sink: ByteSink;
  #lines: string[] = [];
  #length = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  async add(line: string): Promise<SessionsPlace> {
    const place: SessionsPlace = [this.parts.length, this.#lines.length];
    this.#lines.push(line);
    this.#length += line.length + 1;
    if (this.#length >= PART_LENGTH) await this.#write();
    return place;
  }

  /** Call it after the last line. */
  async end(): Promise<void> {
    if (this.#lines.length > 0) await this.#write();
  }

  async #write(): Promise<void> {
    const lines = this.#lines;
    [this.#lines, this.#length] = [[], 0];
    const bytes = await gzipBytes(Buffer.from(`${lines.join('\n')}\n`));
    await this.#sink.write(bytes);
    this.parts.push({ bytes: bytes.byteLength, lines: lines.length });
  }
}
