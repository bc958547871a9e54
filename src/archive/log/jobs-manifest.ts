/** The jobs manifest of a commit: an object that is published before the commit, with its own hash in its name. */
import { JobvaultError } from '../../base/error.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { StagedObject, Storage } from '../../storage/storage.js';
import { jobLineSchema, type Commit, type JobLine, type JobsEntry } from './commit.js';
import { readChecked } from '../parts/checked-read.js';
import { readGzipLines, writeGzipLines } from '../parts/gzip-lines.js';
import { IntegrityError } from '../verify/integrity-error.js';
import { manifestPath } from '../paths.js';

export type JobLines = Iterable<JobLine> | AsyncIterable<JobLine>;

/** A staged jobs manifest, which has no commit number yet. */
export class JobsManifest {
  readonly #storage: Storage;
  readonly #staged: StagedObject;
  readonly #entry: Omit<JobsEntry, 'path'>;

  private constructor(storage: Storage, staged: StagedObject, entry: Omit<JobsEntry, 'path'>) {
    this.#storage = storage;
    this.#staged = staged;
    this.#entry = entry;
  }

  /** Null if there are no lines. The lines are read once and keep their order. */
  static async stage(storage: Storage, lines: JobLines): Promise<JobsManifest | null> {
    const staged = await storage.stage();
    try {
      const rows = await writeGzipLines(texts(lines), staged);
      const digest = await staged.close();
      if (rows > 0) return new JobsManifest(storage, staged, { rows, ...digest });
    } catch (error) {
      await staged.discard();
      throw error;
    }
    await staged.discard();
    return null;
  }

  entryFor(number: number): JobsEntry {
    const { rows, bytes, sha256 } = this.#entry;
    return { path: manifestPath(number, sha256), rows, bytes, sha256 };
  }

  /** Publishes a copy, so that another number can be tried if another run takes this one. */
  async publishFor(number: number): Promise<void> {
    const copy = await this.#storage.stage();
    try {
      for await (const chunk of this.#staged.read()) await copy.write(chunk);
      await copy.close();
      await copy.publish(this.entryFor(number).path);
    } finally {
      await copy.discard();
    }
  }

  /** Deletes the published copy after `winner` got the number. */
  async withdrawFrom(winner: Commit): Promise<void> {
    const { path } = this.entryFor(winner.number);
    // A run that archived exactly the same jobs names the same object.
    if (winner.jobs?.path !== path) await this.#storage.delete(path);
  }

  async discard(): Promise<void> {
    await this.#staged.discard();
  }
}

/**
 * Yields the jobs of a commit in the order written.
 *
 * @throws {IntegrityError} the object is missing or damaged; damage may only be noticed after the last
 *   line, so the caller must not keep earlier lines
 */
export async function* readJobs(storage: Storage, entry: JobsEntry): AsyncGenerator<JobLine> {
  const damaged = (problem: 'rows' | 'unreadable', detail: string): Error =>
    new IntegrityError(entry.path, problem, `is damaged: ${detail}`);
  const source = { isWhole: false };
  async function* checked(): AsyncGenerator<Uint8Array> {
    yield* readChecked(storage, entry);
    source.isWhole = true;
  }
  let rows = 0;
  try {
    for await (const line of readGzipLines(checked())) {
      rows++;
      yield jobLineSchema.parse(parseJson(line));
    }
  } catch (error) {
    if (error instanceof JobvaultError) throw error;
    throw damaged('unreadable', 'it is not a valid jobs manifest');
  }
  // gunzip does not read what follows the end of its data
  if (!source.isWhole) throw damaged('unreadable', 'it has data after its end');
  if (rows !== entry.rows) throw damaged('rows', `${rows} lines instead of ${entry.rows}`);
}

async function* texts(lines: JobLines): AsyncGenerator<string> {
  for await (const line of lines) yield JSON.stringify(jobLineSchema.parse(line));
}
