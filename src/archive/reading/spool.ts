/** Groups lines by bucket on disk, so that memory has to hold one bucket only. */
import { StagedText } from '../../storage/staged-text.js';
import type { StagedObject, Storage } from '../../storage/storage.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { CellValue, Row, TableSchema } from '../../model/table-schema.js';

const NEWLINE = 0x0a;

interface Bucket {
  readonly staged: StagedObject;
  readonly text: StagedText;
}

export class Spool {
  readonly #buckets: readonly Bucket[];

  private constructor(buckets: readonly Bucket[]) {
    this.#buckets = buckets;
  }

  static async open(storage: Storage, buckets: number): Promise<Spool> {
    const spool: Bucket[] = [];
    try {
      for (let index = 0; index < buckets; index++) {
        const staged = await storage.stage();
        spool.push({ staged, text: new StagedText(staged) });
      }
    } catch (error) {
      await Promise.all(spool.map(({ staged }) => staged.discard()));
      throw error;
    }
    return new Spool(spool);
  }

  get size(): number {
    return this.#buckets.length;
  }

  /** Many may add at a time. @param line without a line end in it; a lone surrogate becomes U+FFFD: rows have none */
  async add(bucket: number, line: string): Promise<void> {
    await this.#buckets[bucket]?.text.write(line, '\n');
  }

  /** Ends writing; from now on the lines can be read. */
  async close(): Promise<void> {
    for (const { text } of this.#buckets) await text.close();
  }

  async *lines(bucket: number): AsyncGenerator<string> {
    const staged = this.#buckets[bucket]?.staged;
    if (!staged) return;
    let pieces: Uint8Array[] = [];
    for await (const chunk of staged.read()) {
      let start = 0;
      // looked for in each chunk once: a line may be as long as a record
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        pieces.push(chunk.subarray(start, end));
        const line = textOf(pieces);
        pieces = [];
        start = end + 1;
        yield line;
      }
      if (start < chunk.byteLength) pieces.push(chunk.subarray(start));
    }
  }

  async discard(): Promise<void> {
    await Promise.all(this.#buckets.map(({ staged }) => staged.discard()));
  }
}

function textOf(pieces: readonly Uint8Array[]): string {
  const [only] = pieces;
  const bytes = only && pieces.length === 1 ? only : Buffer.concat(pieces);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}

/** Encodes a row as a line of text and decodes it. */

export function lineOf(table: TableSchema, row: Row): string {
  const cells: CellValue[] = [table.name];
  let end = 1;
  for (const { name } of table.columns) {
    const value = row[name] ?? null;
    cells.push(typeof value === 'bigint' ? String(value) : value);
    if (value !== null) end = cells.length;
  }
  // the last columns are those that readers omit most often
  cells.length = end;
  return JSON.stringify(cells);
}

export function rowOf(tables: readonly TableSchema[], line: string): { table: string; row: Row } {
  const cells = parseJson(line) as (string | number | boolean | null)[];
  const [name] = cells;
  const table = tables.find((one) => one.name === name);
  if (!table) return { table: String(name), row: {} };
  const { columns } = table;
  // a copy of a row of nulls: objects that grow column by column take three times as long
  const row: Record<string, CellValue> = { ...blankRow(table) };
  for (let at = 0; at < columns.length; at++) {
    const [column, cell] = [columns[at], cells[at + 1] ?? null];
    if (!column || cell === null) continue;
    const isBig = column.type === 'ts' || column.type === 'int64';
    row[column.name] = isBig ? BigInt(cell) : cell;
  }
  return { table: table.name, row };
}

const blankRows = new WeakMap<TableSchema, Row>();

function blankRow(table: TableSchema): Row {
  const known = blankRows.get(table);
  if (known) return known;
  const blank = Object.fromEntries(table.columns.map(({ name }) => [name, null]));
  blankRows.set(table, blank);
  return blank;
}

/** Sets lines aside on disk by session, so that those of a session come together. Memory holds a bucket of sessions. */

/** Of a bucket that is read at once; one of several sessions that has more is divided first. */
const MOST_CHARACTERS = 64e6;
const MAX_PIECES = 128;

export class SessionSpool {
  readonly #storage: Storage;
  readonly #spool: Spool;
  /** By session. */
  readonly #bucketOf: readonly number[];
  /** By session: characters that were added. */
  readonly #added: number[];
  readonly #most: number;

  private constructor(storage: Storage, spool: Spool, bucketOf: readonly number[], most: number) {
    this.#storage = storage;
    this.#spool = spool;
    this.#bucketOf = bucketOf;
    this.#added = bucketOf.map(() => 0);
    this.#most = most;
  }

  /**
   * @param weights how much each session will have, in any unit; their indexes are the sessions' numbers from here on
   * @param buckets into how many all is divided, so that each has about the same weight; a session is never divided
   */
  static async open(
    storage: Storage,
    weights: readonly number[],
    buckets: number,
    most = MOST_CHARACTERS,
  ): Promise<SessionSpool> {
    const size = Math.max(1, Math.ceil(sumOf(weights) / buckets));
    let before = 0;
    const bucketOf = weights.map((weight) => {
      const bucket = Math.floor(before / size);
      before += weight;
      return bucket;
    });
    const spool = await Spool.open(storage, (bucketOf.at(-1) ?? 0) + 1);
    return new SessionSpool(storage, spool, bucketOf, most);
  }

  /** @param line as `Spool.add` */
  async add(session: number, line: string): Promise<void> {
    this.#added[session] = (this.#added[session] ?? 0) + line.length;
    await this.#spool.add(this.#bucketOf[session] ?? 0, `${session} ${line}`);
  }

  /** Ends adding. */
  async close(): Promise<void> {
    await this.#spool.close();
  }

  /** For each session in turn, also for those without any: its lines in the order in which they were added. */
  async *sessions(): AsyncGenerator<readonly string[]> {
    let session = 0;
    for (let bucket = 0; bucket < this.#spool.size; bucket++) {
      const first = session;
      while (this.#bucketOf[session] === bucket) session++;
      const added = this.#added.slice(first, session);
      if (added.length > 1 && sumOf(added) > this.#most) yield* this.#divided(bucket, first, added);
      else yield* this.#linesOf(bucket, first, added.length);
    }
  }

  async *#linesOf(
    bucket: number,
    first: number,
    sessions: number,
  ): AsyncGenerator<readonly string[]> {
    const linesOf = new Map<number, string[]>();
    for await (const [session, line] of this.#linesIn(bucket)) {
      const lines = linesOf.get(session) ?? [];
      lines.push(line);
      linesOf.set(session, lines);
    }
    for (let session = first; session < first + sessions; session++) {
      yield linesOf.get(session) ?? [];
      linesOf.delete(session);
    }
  }

  /** Its sessions have much more than their weights told. */
  async *#divided(
    bucket: number,
    first: number,
    added: readonly number[],
  ): AsyncGenerator<readonly string[]> {
    const bucketOf = inPieces(added, Math.max(this.#most, sumOf(added) / MAX_PIECES));
    const spool = await Spool.open(this.#storage, (bucketOf.at(-1) ?? 0) + 1);
    const pieces = new SessionSpool(this.#storage, spool, bucketOf, this.#most);
    try {
      for await (const [session, line] of this.#linesIn(bucket)) {
        await pieces.add(session - first, line);
      }
      await pieces.close();
      yield* pieces.sessions();
    } finally {
      await pieces.discard();
    }
  }

  async *#linesIn(bucket: number): AsyncGenerator<readonly [session: number, line: string]> {
    for await (const line of this.#spool.lines(bucket)) {
      const space = line.indexOf(' ');
      yield [Number(line.slice(0, space)), line.slice(space + 1)];
    }
  }

  async discard(): Promise<void> {
    await this.#spool.discard();
  }
}

/** No piece has more than that, unless it is of one session. */
function inPieces(weights: readonly number[], most: number): number[] {
  let [piece, sum] = [0, 0];
  return weights.map((weight) => {
    if (sum > 0 && sum + weight > most) [piece, sum] = [piece + 1, 0];
    sum += weight;
    return piece;
  });
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
