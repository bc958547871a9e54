/** Writes the report's files, several at a time: most of it is waiting for the disk to say that they are safe. */
import { Background } from '../base/concurrently.js';
import { sha256Hex } from '../base/digest.js';
import { beginningOf } from '../base/text/short-texts.js';
import type { EarlierDirectory } from '../storage/local/whole-directory.js';
import type { StagedObject, Storage } from '../storage/storage.js';
import { StagedText } from '../storage/staged-text.js';
import { FileDigests } from './file-digests.js';
import { digestOf, dataScript, scriptOf, FILES_LIST } from './data-script.js';

const WRITERS = 16;
/** The characters of a long text that are written at a time. */
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

export interface LinesFile {
  write(line: string): Promise<void>;
  /** @returns its SHA-256 */
  finish(): Promise<string>;
}

export class Publisher {
  files = 0;
  bytes = 0;
  /** How many of the files are the earlier report's. */
  kept = 0;
  readonly #background = new Background(WRITERS);
  readonly #target: PublishTarget;
  readonly #earlier: EarlierFiles | undefined;
  /** The digest of each file; undefined where they are not listed. */
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
      for (const dropped of paths) {
        this.#listed?.delete(dropped);
        await this.#target.delete(dropped);
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
      await this.#publish(path, staged, from);
    }, bytes);
  }

  /** A file of lines that grows while others are written; `finish` gives its SHA-256. */
  async lines(path: string): Promise<LinesFile> {
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
    await this.#publish(path, await this.#target.stage(), piecesOf(mark, text));
    const bytes = Buffer.byteLength(text);
    this.files++;
    this.bytes += bytes + Buffer.byteLength(mark);
    return bytes;
  }

  /** Nothing of it stays where it cannot be written whole. */
  async #publish(
    path: string,
    staged: StagedObject,
    chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<void> {
    try {
      for await (const chunk of chunks) await staged.write(chunk);
      const { sha256 } = await staged.close();
      this.#listed?.set(path, sha256);
      await staged.publish(path);
    } catch (error) {
      await staged.discard();
      throw error;
    }
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

function* piecesOf(mark: string, text: string): Generator<Uint8Array> {
  if (mark !== '') yield Buffer.from(mark);
  for (let start = 0; start < text.length;) {
    const piece = beginningOf(text.slice(start, start + PIECE_CHARACTERS + 1), PIECE_CHARACTERS);
    start += piece.length;
    yield Buffer.from(piece);
  }
}
