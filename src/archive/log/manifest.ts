/**
 * The manifests of a commit: lists in objects of their own, which are published before the commit, each with its own
 * hash in its name. `jobs` has the new and changed jobs, `users` the users that were listed.
 */
import type { z } from 'zod';
import { JobvaultError } from '../../base/error.js';
import { readerBy } from '../../base/read-by-schema.js';
import { parseJson } from '../../base/text/parse-json.js';
import type { StagedObject, Storage } from '../../storage/storage.js';
import {
  jobLineSchema,
  userLineSchema,
  type Commit,
  type JobLine,
  type JobsEntry,
  type UserEntry,
  type UsersEntry,
} from './commit.js';
import { readChecked } from '../objects/checked-objects.js';
import { IntegrityError } from '../archive-errors.js';
import { manifestPath, type ManifestName } from '../paths.js';
import { writeGzipLines, readGzipLines } from './gzip-lines.js';

export const MANIFESTS = ['jobs', 'users'] as const satisfies readonly ManifestName[];

export type Lines<Line> = Iterable<Line> | AsyncIterable<Line>;
export type ManifestEntry = JobsEntry | UsersEntry;

interface LineOf {
  readonly jobs: JobLine;
  readonly users: UserEntry;
}
interface EntryOf {
  readonly jobs: JobsEntry;
  readonly users: UsersEntry;
}

const SCHEMAS: { readonly [Name in ManifestName]: z.ZodType<LineOf[Name]> } = {
  jobs: jobLineSchema,
  users: userLineSchema,
};

const READERS: { readonly [Name in ManifestName]: (line: unknown) => LineOf[Name] } = {
  jobs: readerBy(SCHEMAS.jobs),
  users: readerBy(SCHEMAS.users),
};

/** What a commit says of a manifest's lines: a user is in one of the counts, or lacks something. */
class LineCounts {
  rows = 0;
  #complete = 0;
  #decided = 0;
  #left = 0;

  constructor(readonly name: ManifestName) {}

  add(line: object): void {
    this.rows++;
    if ('left' in line && line.left !== undefined) this.#left++;
    else if ('by_decision' in line && line.by_decision === true) this.#decided++;
    else if ('complete' in line && line.complete === true) this.#complete++;
  }

  get counted(): { readonly rows: number } & Partial<Omit<UsersEntry, keyof JobsEntry>> {
    const { rows } = this;
    if (this.name !== 'users') return { rows };
    const [decided, left] = [this.#decided, this.#left];
    return {
      rows,
      complete: this.#complete,
      ...(decided > 0 && { by_decision: decided }),
      ...(left > 0 && { left }),
    };
  }
}

/** A staged manifest, which has no commit number yet. */
export class StagedManifest<Name extends ManifestName> {
  readonly #storage: Storage;
  readonly #staged: StagedObject;
  readonly #entry: Omit<ManifestEntry, 'path'>;

  private constructor(
    readonly name: Name,
    storage: Storage,
    staged: StagedObject,
    entry: Omit<ManifestEntry, 'path'>,
  ) {
    this.#storage = storage;
    this.#staged = staged;
    this.#entry = entry;
  }

  /** Null if there are no lines. The lines are read once and keep their order. */
  static async stage<Name extends ManifestName>(
    storage: Storage,
    name: Name,
    lines: Lines<LineOf[Name]>,
  ): Promise<StagedManifest<Name> | null> {
    const staged = await storage.stage();
    const counts = new LineCounts(name);
    async function* texts(): AsyncGenerator<string> {
      for await (const line of lines) {
        counts.add(line);
        yield JSON.stringify(SCHEMAS[name].parse(line));
      }
    }
    try {
      await writeGzipLines(texts(), staged);
      const { bytes, sha256 } = await staged.close();
      const { rows, ...others } = counts.counted;
      if (rows > 0) {
        return new StagedManifest(name, storage, staged, { rows, bytes, sha256, ...others });
      }
    } catch (error) {
      await staged.discard();
      throw error;
    }
    await staged.discard();
    return null;
  }

  entryFor(number: number): EntryOf[Name] {
    const path = manifestPath(this.name, number, this.#entry.sha256);
    return { path, ...this.#entry } as EntryOf[Name];
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

  /** Publishes it under a path that is not that of a commit's manifest. */
  async publish(path: string): Promise<void> {
    await this.#staged.publish(path);
  }

  /** Deletes the published copy after `winner` got the number. */
  async withdrawFrom(winner: Commit): Promise<void> {
    const { path } = this.entryFor(winner.number);
    // A run that lists exactly the same names the same object.
    if (winner[this.name]?.path !== path) await this.#storage.delete(path);
  }

  async discard(): Promise<void> {
    await this.#staged.discard();
  }
}

/**
 * Yields the lines in the order written.
 *
 * @throws {IntegrityError} the object is missing or damaged; damage may only be noticed after the last
 *   line, so the caller must not keep earlier lines
 */
export async function* readManifest<Name extends ManifestName>(
  storage: Storage,
  name: Name,
  entry: EntryOf[Name],
): AsyncGenerator<LineOf[Name]> {
  const damaged = (problem: 'rows' | 'unreadable', detail: string): Error =>
    new IntegrityError(entry.path, problem, `is damaged: ${detail}`);
  const source = { isWhole: false };
  async function* checked(): AsyncGenerator<Uint8Array> {
    yield* readChecked(storage, entry);
    source.isWhole = true;
  }
  const counts = new LineCounts(name);
  try {
    for await (const text of readGzipLines(checked())) {
      const line = READERS[name](parseJson(text));
      counts.add(line);
      yield line;
    }
  } catch (error) {
    if (error instanceof JobvaultError) throw error;
    throw damaged('unreadable', `it is not a valid ${name} manifest`);
  }
  // gunzip does not read what follows the end of its data
  if (!source.isWhole) throw damaged('unreadable', 'it has data after its end');
  const { rows, complete, by_decision: decided, left } = counts.counted;
  if (rows !== entry.rows) throw damaged('rows', `${rows} lines instead of ${entry.rows}`);
  const named: ManifestEntry & Partial<UsersEntry> = entry;
  if (complete !== named.complete) {
    throw damaged('rows', `${complete} complete users instead of ${named.complete}`);
  }
  if (decided !== named.by_decision) {
    throw damaged('rows', `${decided ?? 0} users by decision instead of ${named.by_decision ?? 0}`);
  }
  if (left !== named.left) {
    throw damaged('rows', `${left ?? 0} users left instead of ${named.left ?? 0}`);
  }
}

/**
 * Yields the lines of a commit's manifest, also if an erasure has replaced it since the commit was read; none if the
 * commit has no such manifest.
 *
 * @throws {IntegrityError} as `readManifest`
 */
export async function* manifestLines<Name extends ManifestName>(
  source: LinesSource,
  name: Name,
  commit: Pick<Commit, 'number' | Name>,
): AsyncGenerator<LineOf[Name]> {
  try {
    yield* namedLines(source, name, commit);
  } catch (error) {
    const again = await rereadAfter(error, source, name, commit);
    yield* namedLines(source, name, again);
  }
}

/**
 * A commit with its jobs. If an erasure redacts it meanwhile, both are as they are after it: the jobs that it leaves
 * would be too few for the sessions that the commit had.
 *
 * @throws {IntegrityError} as `readManifest`
 */
export async function commitWithJobs(
  source: LinesSource,
  commit: Commit,
): Promise<{ readonly commit: Commit; readonly jobs: readonly JobLine[] }> {
  const jobs: JobLine[] = [];
  try {
    for await (const line of namedLines(source, 'jobs', commit)) jobs.push(line);
    return { commit, jobs };
  } catch (error) {
    return commitWithJobs(source, await rereadAfter(error, source, 'jobs', commit));
  }
}

/** What an erasure has put aside and not yet published is read where it lies. */
async function* namedLines<Name extends ManifestName>(
  { storage, log }: LinesSource,
  name: Name,
  commit: Pick<Commit, 'number' | Name>,
): AsyncGenerator<LineOf[Name]> {
  const entry = commit[name] as EntryOf[Name] | null;
  if (!entry) return;
  const aside = log.preparedManifest(name, commit.number, entry.sha256);
  for (const path of aside === undefined ? [] : [entry.path, aside]) {
    try {
      yield* readManifest(storage, name, { ...entry, path });
      return;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
  }
  yield* readManifest(storage, name, entry);
}

/** The commit as it is by now, if an error came of an erasure that has replaced the manifest; otherwise throws the error. */
async function rereadAfter<Name extends ManifestName>(
  error: unknown,
  { log }: LinesSource,
  name: Name,
  commit: Pick<Commit, 'number' | Name>,
): Promise<Commit> {
  // thrown before the first line
  if (!isMissing(error)) throw error;
  const again = await log.reread(commit.number);
  const [before, now] = [commit[name], again[name]] as (ManifestEntry | null)[];
  if (now?.path === before?.path) throw error;
  return again;
}

function isMissing(error: unknown): boolean {
  return error instanceof IntegrityError && error.problem === 'missing';
}

export interface LinesSource {
  readonly storage: Storage;
  readonly log: {
    reread(number: number): Promise<Commit>;
    preparedManifest(name: ManifestName, number: number, sha256: string): string | undefined;
  };
}

/** The lines of the users manifest. @throws {IntegrityError} as `readManifest` */
export async function listedIn(
  source: LinesSource,
  commit: Pick<Commit, 'number' | 'users'>,
): Promise<UserEntry[]> {
  const lines: UserEntry[] = [];
  for await (const line of manifestLines(source, 'users', commit)) lines.push(line);
  return lines;
}
