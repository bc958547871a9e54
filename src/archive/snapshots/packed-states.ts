/**
 * The states of users beside a snapshot: many in one object, each a line of gzipped JSON. A snapshot names the objects
 * with their SHA-256, and says for each user which line is the state. Of users who have not changed, the next snapshot
 * names the same lines again.
 */
import { sha256Hex } from '../../base/digest.js';
import { gunzipBytes } from '../../base/gzip.js';
import { type Storage } from '../../storage/storage.js';
import { deleteObjects, getIfThere } from '../../storage/small-objects.js';
import { GzipText } from '../log/gzip-lines.js';
import { statesPath } from '../paths.js';

/** An object with states. */
export interface StatesPart {
  readonly path: string;
  /** The bytes of the gzipped object. */
  readonly bytes: number;
  readonly sha256: string;
  /** How many states it has, of which later snapshots may not need all. */
  readonly lines: number;
  /** The length of its text, in UTF-16 code units. */
  readonly length: number;
}

/** Where a user's state is: a part by its place in the snapshot's list, and a line of it; both from 0. */
export type StatesPlace = readonly [part: number, line: number];

/** The length of a part's text: a part is read whole, and some are kept in memory. */
const PART_LENGTH = 512 * 1024;
/** Texts kept in memory: users who are loaded one after the other are mostly in the same parts. */
const KEPT_LENGTH = 32 * 1024 * 1024;

export class PackedStates {
  /** By path; the least recently used comes first. */
  readonly #kept = new Map<string, { readonly length: number; readonly lines: PartLines }>();
  readonly #storage: Pick<Storage, 'get'>;
  readonly #keptLength: number;

  /** @param keptLength of the texts that are kept in memory */
  constructor(storage: Storage, keptLength = KEPT_LENGTH) {
    this.#storage = storage;
    this.#keptLength = keptLength;
  }

  /** The line of a state; undefined if its part is missing, or is not as it was written: that costs time, never data. */
  async lineOf(part: StatesPart, line: number): Promise<string | undefined> {
    return (await this.#linesOf(part))?.[line];
  }

  /** Whether the part is there, and is as it was written. */
  async isWhole(part: StatesPart): Promise<boolean> {
    return (await this.#linesOf(part)) !== undefined;
  }

  #linesOf(part: StatesPart): PartLines {
    const { path, length } = part;
    const lines = this.#kept.get(path)?.lines ?? this.#read(part);
    this.#kept.delete(path);
    this.#kept.set(path, { length, lines });
    lines.catch(() => this.#kept.delete(path));
    let sum = 0;
    for (const kept of this.#kept.values()) sum += kept.length;
    for (const [oldest, kept] of this.#kept) {
      if (sum <= this.#keptLength || this.#kept.size === 1) break;
      this.#kept.delete(oldest);
      sum -= kept.length;
    }
    return lines;
  }

  async #read({ path, bytes: length, sha256, lines: count }: StatesPart): PartLines {
    const bytes = await getIfThere(this.#storage, path);
    if (bytes?.byteLength !== length || sha256Hex(bytes) !== sha256) return undefined;
    try {
      const lines = (await gunzipBytes(bytes)).toString().split('\n');
      return lines.pop() === '' && lines.length === count ? lines : undefined;
    } catch {
      return undefined;
    }
  }
}

type PartLines = Promise<readonly string[] | undefined>;

/** Whether so much of the part is still needed that it need not be written again. */
export function isWorthKeeping({ lines, length }: StatesPart, needed: number): boolean {
  return (length * needed) / lines >= PART_LENGTH / 2;
}

/** Writes parts as lines come. */
export class StatesWriter {
  /** The parts that are written. */
  readonly parts: StatesPart[] = [];
  readonly #storage: Pick<Storage, 'put' | 'delete' | 'deleteAll'>;
  readonly #snapshot: { readonly through: number; readonly id: string };
  /** The text of the part that is being written. */
  #text: GzipText | undefined;
  #packed: Uint8Array[] = [];
  #lines = 0;
  #length = 0;

  /** @param snapshot for which they are written */
  constructor(storage: Storage, snapshot: { readonly through: number; readonly id: string }) {
    this.#storage = storage;
    this.#snapshot = snapshot;
  }

  /** @param texts the pieces of the line. @returns its place among the parts of this writer */
  async add(texts: Iterable<string>): Promise<StatesPlace> {
    const place: StatesPlace = [this.parts.length, this.#lines++];
    this.#text ??= new GzipText({
      write: (chunk) => Promise.resolve(void this.#packed.push(chunk)),
    });
    for (const text of texts) {
      this.#length += text.length;
      await this.#text.write(text);
    }
    await this.#text.write('\n');
    this.#length++;
    if (this.#length >= PART_LENGTH) await this.end();
    return place;
  }

  /** Deletes the parts: no snapshot names them. */
  async withdraw(): Promise<void> {
    const paths = this.parts.map(({ path }) => path);
    await deleteObjects(this.#storage, paths);
  }

  /** Ends the part that is being written. Call it after the last line. */
  async end(): Promise<void> {
    if (!this.#text) return;
    const { through, id } = this.#snapshot;
    await this.#text.end();
    const bytes = Buffer.concat(this.#packed);
    const [lines, length] = [this.#lines, this.#length];
    [this.#text, this.#packed, this.#lines, this.#length] = [undefined, [], 0, 0];
    const path = statesPath(through, id, this.parts.length + 1);
    await this.#storage.put(path, bytes);
    const digest = { bytes: bytes.byteLength, sha256: sha256Hex(bytes) };
    this.parts.push({ path, ...digest, lines, length });
  }
}
