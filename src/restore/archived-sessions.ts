/** Every archived session with one version of its jobs, normally the newest, as of one commit. Records lie in a scratch file, memory has their places. */
import { currentContents, type Archive, type ArchiveReading } from '../archive/archive.js';
import { assertErasuresFinished } from '../archive/erasing/erasures.js';
import { Spellings } from '../archive/reading/users/listed-again.js';
import { rowsOfTable } from '../archive/reading/rows/selected-rows.js';
import { placeKey, type FileRole } from '../flatten/file-references.js';
import type { Row } from '../model/table-schema.js';
import {
  artifactsTable,
  datasetsTable,
  jobsTable,
  rawJobsTable,
  sessionsTable,
} from '../model/tables.js';
import type { Storage, StagedObject } from '../storage/storage.js';
import { parseJson } from '../base/text/parse-json.js';
import { StagedText } from '../storage/staged-text.js';

/** Where one fact lies; all that stays in memory of it. Bytes, `end` exclusive. */
interface Piece {
  readonly start: number;
  readonly end: number;
}

class Scratch<Fact> {
  readonly #staged: StagedObject;
  readonly #text: StagedText;

  private constructor(staged: StagedObject, text: StagedText) {
    this.#staged = staged;
    this.#text = text;
  }

  static async open<Fact>(storage: Storage): Promise<Scratch<Fact>> {
    const staged = await storage.stage();
    return new Scratch<Fact>(staged, new StagedText(staged));
  }

  /** @param fact plain JSON */
  async add(fact: Fact): Promise<Piece> {
    const start = this.#text.bytes;
    const writing = this.#text.write(JSON.stringify(fact));
    const end = this.#text.bytes;
    await writing;
    return { start, end };
  }

  /** Nothing more will be added; from now on it can be read. */
  async close(): Promise<void> {
    await this.#text.close();
  }

  async read(piece: Piece): Promise<Fact> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.#staged.read(piece)) chunks.push(chunk);
    return parseJson(Buffer.concat(chunks).toString()) as Fact;
  }

  async discard(): Promise<void> {
    await this.#staged.discard();
  }
}

export interface ReadingOptions extends ArchiveReading {
  /** Where records are set aside. */
  readonly scratch: Storage;
  /** Default: every session. */
  readonly isWanted?: ((user: string, session: string) => boolean) | undefined;
  /** How many versions each row is older than the newest; what has no such version is left out. Default 0 */
  readonly age?: number | undefined;
  /** The commit. Default: the newest */
  readonly through?: number | undefined;
}

/** A job's record as archived, and the paths of its stored files by `placeKey`. */
export interface ArchivedRecord {
  readonly text: string;
  readonly files: ReadonlyMap<string, string>;
}

export interface ServedSession {
  readonly id: string;
  readonly user: string;
  /** Its row; undefined if it has none of that age, as one whose history was never read to the end. */
  row: Row | undefined;
  /** The version of its row; 0 for none. */
  readonly version: number;
  /** By id, the oldest first, or as the service has them. */
  readonly jobs: Map<string, ServedJob>;
}

export interface ServedJob {
  readonly version: number;
  record: Piece | undefined;
  readonly files: Piece[];
}

type Places = readonly (readonly [place: string, path: string])[];
type Fact = string | Places;

export class ArchivedSessions {
  /** The sessions of the users, also of those without any, by id. */
  readonly users = new Map<string, Map<string, ServedSession>>();
  /** Rows of the table `datasets`. */
  readonly datasets = new Map<string, Row>();
  /** The most that anything served has, also those that are not served. */
  versions = 1;
  readonly #scratch: Scratch<Fact>;
  readonly #owners = new Map<string, Set<string>>();
  readonly #byRow = new Map<string, ServedSession>();
  /** Sessions that count for another spelling of their user. */
  readonly #listedAgain = new Set<ServedSession>();
  readonly #jobsByRow = new Map<ServedSession, Map<string, ServedJob>>();

  private constructor(
    scratch: Scratch<Fact>,
    /** The commit. */
    readonly through: number,
    /** How many versions older than the newest. */
    readonly age: number,
  ) {
    this.#scratch = scratch;
  }

  /**
   * @throws {ErasureUnfinishedError} the log is half redacted
   * @throws {IntegrityError | FormatError} the archive is damaged
   */
  static async read(options: ReadingOptions): Promise<ArchivedSessions> {
    await currentContents(options.archive);
    await assertErasuresFinished(options.archive);
    const scratch = await Scratch.open<Fact>(options.scratch);
    const through = options.through ?? options.archive.index.through;
    const sessions = new ArchivedSessions(scratch, through, options.age ?? 0);
    try {
      await sessions.#readStates(options);
      await sessions.#readRows(options);
      await scratch.close();
      return sessions;
    } catch (error) {
      await scratch.discard();
      throw error;
    }
  }

  /** As everywhere: a session counts for one of the spellings of a user that list it, and for each of several users. */
  get sessionCount(): number {
    return this.#byRow.size - this.#listedAgain.size;
  }

  /** The jobs of these sessions, as they have them where they count. */
  get jobCount(): number {
    let count = 0;
    for (const session of this.#byRow.values()) {
      if (this.isCounted(session)) count += session.jobs.size;
    }
    return count;
  }

  isCounted(session: ServedSession): boolean {
    return !this.#listedAgain.has(session);
  }

  /** Whether something was erased since: what was read may be of the person who was erased. The index must be up to date. */
  isOutlivedIn({ index }: Archive): boolean {
    return index.lastErasure > this.through;
  }

  /** Whether another user has the session. */
  isOfAnother(user: string, session: string): boolean {
    return [...(this.#owners.get(session) ?? [])].some((owner) => owner !== user);
  }

  async record(job: ServedJob): Promise<ArchivedRecord | undefined> {
    if (!job.record) return undefined;
    const text = (await this.#scratch.read(job.record)) as string;
    const files = new Map<string, string>();
    for (const piece of job.files) {
      const places = (await this.#scratch.read(piece)) as Places;
      for (const [place, path] of places) files.set(place, path);
    }
    return { text, files };
  }

  async discard(): Promise<void> {
    await this.#scratch.discard();
  }

  async #readStates({ archive, isWanted, age = 0, signal }: ReadingOptions): Promise<void> {
    for (const user of await archive.index.allUsers()) {
      signal?.throwIfAborted();
      const sessions = new Map<string, ServedSession>();
      this.users.set(user, sessions);
      const state = await archive.states.loadAsOf(user, this.through);
      for (const [id, { version: newest, jobs }] of state.sessions) {
        if (isWanted?.(user, id) === false) continue;
        const served = new Map<string, ServedJob>();
        this.versions = Math.max(this.versions, newest);
        for (const [job, { version }] of jobs) {
          this.versions = Math.max(this.versions, version);
          if (version <= age) continue;
          served.set(job, { version: version - age, record: undefined, files: [] });
        }
        const version = Math.max(0, newest - age);
        if (age > 0 && served.size === 0 && version === 0) continue;
        const session = { id, user, row: undefined, version, jobs: served };
        sessions.set(id, session);
        this.#byRow.set(keyOf(user, id), session);
        this.#owners.set(id, (this.#owners.get(id) ?? new Set()).add(user));
      }
    }
    for (const { user, session } of (await Spellings.in(archive)).listedAgain) {
      const again = this.#byRow.get(keyOf(user, session));
      if (again) this.#listedAgain.add(again);
    }
  }

  /** The session of a row, if it is served. */
  sessionOf(row: Row): ServedSession | undefined {
    return this.#byRow.get(keyOf(String(row['user_id']), String(row['session_id'])));
  }

  /** The job of a row, if it is served and the row is of that version. */
  jobOf(row: Row): ServedJob | undefined {
    const job = this.jobNamed(row);
    return job?.version === row['job_version'] ? job : undefined;
  }

  /** The job that a row is of, whatever its version. */
  jobNamed(row: Row): ServedJob | undefined {
    const session = this.sessionOf(row);
    if (!session) return undefined;
    let jobs = this.#jobsByRow.get(session);
    if (!jobs) {
      // rows have well-formed ids
      jobs = new Map([...session.jobs].map(([id, job]) => [id.toWellFormed(), job]));
      this.#jobsByRow.set(session, jobs);
    }
    return jobs.get(String(row['job_id']));
  }

  async #readRows(options: ReadingOptions): Promise<void> {
    for await (const row of rowsOfTable(options, sessionsTable)) {
      const session = this.sessionOf(row);
      if (session && Number(row['session_version']) === session.version) session.row = row;
    }
    if (this.age > 0) await this.#leaveOutWithdrawn(options);
    for await (const row of rowsOfTable(options, rawJobsTable)) {
      const job = this.jobOf(row);
      if (job) job.record = await this.#scratch.add(String(row['record']));
    }
    await this.#readFiles(options);
    const datasets = new Map<string, Row[]>();
    for await (const row of rowsOfTable(options, datasetsTable)) {
      const id = String(row['dataset_id']);
      datasets.set(id, [...(datasets.get(id) ?? []), row]);
    }
    for (const [id, rows] of datasets) {
      this.versions = Math.max(this.versions, rows.length);
      const newestFirst = rows.toSorted((a, b) => exportedAt(b) - exportedAt(a));
      const row = newestFirst[options.age ?? 0];
      if (row) this.datasets.set(id, row);
    }
  }

  /** A version that withdrew a job, which came back later, has no record. */
  async #leaveOutWithdrawn(options: ReadingOptions): Promise<void> {
    for await (const row of rowsOfTable(options, jobsTable)) {
      if (row['is_withdrawn'] !== true || !this.jobOf(row)) continue;
      const session = this.sessionOf(row);
      const jobs = [...(session?.jobs.keys() ?? [])];
      const job = jobs.find((id) => id.toWellFormed() === row['job_id']);
      if (session && job !== undefined) {
        session.jobs.delete(job);
        this.#jobsByRow.delete(session);
      }
    }
  }

  /** The rows of a job stand together. */
  async #readFiles(options: ReadingOptions): Promise<void> {
    let last: ServedJob | undefined;
    let places: [string, string][] = [];
    const setAside = async () => {
      if (places.length > 0) last?.files.push(await this.#scratch.add(places));
      places = [];
    };
    for await (const row of rowsOfTable(options, artifactsTable)) {
      const job = this.jobOf(row);
      if (job !== last) await setAside();
      last = job;
      if (!job || row['status'] !== 'stored') continue;
      places.push([placeOf(row), String(row['path'])]);
    }
    await setAside();
  }
}

/** Microseconds since 1970 UTC. */
function exportedAt(row: Row): number {
  return Number(row['exported_at']);
}

/** As `placeKey` of the reference from which the row of `artifacts` was made. */
function placeOf(row: Row): string {
  return placeKey({
    role: row['role'] as FileRole,
    blockIndex: Number(row['block_index']),
    fileIndex: Number(row['file_index']),
  });
}

/** Rows have well-formed ids. */
function keyOf(user: string, session: string): string {
  return JSON.stringify([user.toWellFormed(), session.toWellFormed()]);
}
