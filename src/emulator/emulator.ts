/** The emulator's data, for tests to read and change; a change takes effect with the next request. */
import { UsageError } from '../base/error.js';
import { parseJson } from '../base/text/parse-json.js';
import type { JsonObject } from '../model/records.js';
import { RateWindow } from './api/api-call.js';
import { KeyRing } from './api/key-ring.js';
import { pathOfKey, UrlSigner } from './files/url-signer.js';
import { MADE_LATER, RandomStream } from './seed/seed-plan.js';
import { type FileContent, cuid, uuid4, type DatasetState } from './seed/seeded-ids.js';
import { importText, importHistories } from './world/import-histories.js';
import { type EmulatedSession, World } from './world/world.js';
import { setMaxListeners } from 'node:events';
import { EMULATED_HANDLERS, buildApiServer } from './api/api-server.js';
import { noFaults, type Faults, Occasions } from './faults/faults.js';
import { buildFileServer } from './files/file-server.js';
import { emulatorSettings, type EmulatorOptions } from './options.js';
import { closeServer, listen } from './listen.js';
import { SeededWorld, type SessionFields } from './seed/seeded-world.js';
import { TrafficStats } from './stats.js';

/** A job record, or its exact JSON text; `{{url:KEY}}` and `{{expires_at}}` are filled in at every read. */
export type JobInput = string | JobInputRecord;
export interface JobInputRecord extends JsonObject {
  readonly job_id: string;
}

export interface NewSession extends JsonObject {
  readonly id?: string;
  readonly name?: string;
}

export interface EmulatorTotals {
  readonly users: number;
  readonly sessions: number;
  readonly jobs: number;
  readonly answerBlocks: number;
}

export interface EmulatorStateParts {
  readonly world: World;
  readonly keys: KeyRing;
  readonly origin: () => string;
}

/** The data of one project. Unknown ids throw a UsageError. */
class EmulatorState {
  readonly #world: World;
  /** API keys: which project they belong to, which have expired. */
  readonly keys: KeyRing;
  readonly #parts: EmulatorStateParts;

  /** @param project default: that of the seed data */
  constructor(
    parts: EmulatorStateParts,
    readonly project = parts.world.seedProject,
  ) {
    this.#parts = parts;
    this.#world = parts.world;
    this.keys = parts.keys;
  }

  /** The data of another project. */
  inProject(project: string): EmulatorState {
    return new EmulatorState(this.#parts, project);
  }

  /** Seeded users first. */
  userIds(): string[] {
    return this.#world.userIds(this.project);
  }

  /** Counts everything. Makes every job, so it is slow for large seeds. */
  totals(): EmulatorTotals {
    const userIds = this.userIds();
    const sessions = userIds.flatMap((userId) => this.#world.user(this.project, userId).sessions);
    let jobs = 0;
    let answerBlocks = 0;
    for (const session of sessions) {
      for (const entry of session.jobs) {
        const { answer } = parseJson(session.jobText(entry)) as { answer?: { blocks?: unknown } };
        if (Array.isArray(answer?.blocks)) answerBlocks += answer.blocks.length;
        jobs++;
      }
    }
    return { users: userIds.length, sessions: sessions.length, jobs, answerBlocks };
  }

  /** Oldest first. */
  sessionIds(userId: string): string[] {
    return this.#world.user(this.project, userId).sessions.map(({ id }) => id);
  }

  sessionFields(userId: string, sessionId: string): SessionFields {
    return this.#session(userId, sessionId).fields;
  }

  /** Oldest first. */
  jobIds(userId: string, sessionId: string): string[] {
    const session = this.#session(userId, sessionId);
    return session.jobs.map((entry) => session.jobId(entry));
  }

  /** The exact JSON text of a job before its placeholders are filled in. */
  jobText(userId: string, sessionId: string, jobId: string): string {
    const { session, index } = this.#job(userId, sessionId, jobId);
    return session.jobText(session.jobs[index] ?? 0);
  }

  /** Keys of the files that a job refers to, each once, in order of appearance. */
  fileKeys(userId: string, sessionId: string, jobId: string): string[] {
    const text = this.jobText(userId, sessionId, jobId);
    return [
      ...new Set(Array.from(text.matchAll(/\{\{url:([^{}"\\]+)\}\}/g), ([, key = '']) => key)),
    ];
  }

  /** Returns the session's id; makes one if none is given. */
  addSession(userId: string, session: NewSession = {}, jobs: readonly JobInput[] = []): string {
    const id = session.id ?? uuid4(this.#made('session'));
    const fields = { ...session, id, name: session.name ?? `Session ${id.slice(0, 8)}` };
    this.#world
      .user(this.project, userId)
      .add(this.#world.newSession(id, fields, jobs.map(storedJob)));
    return id;
  }

  deleteSession(userId: string, sessionId: string): void {
    this.#session(userId, sessionId);
    this.#world.user(this.project, userId).delete(sessionId);
  }

  /** Adds a job as the session's newest; makes one if none is given. Returns its id. */
  addJob(userId: string, sessionId: string, job?: JobInput): string {
    const session = this.#session(userId, sessionId);
    const stored = job === undefined ? this.#madeUpJob() : storedJob(job);
    session.addJob(stored);
    return stored.id;
  }

  /** Makes and adds jobs; the last one is the newest. */
  addJobs(userId: string, sessionId: string, count: number): string[] {
    return Array.from({ length: count }, () => this.addJob(userId, sessionId));
  }

  /** Replaces a job's record by the result of `change`, which gets it with its placeholders. */
  changeJob(
    userId: string,
    sessionId: string,
    jobId: string,
    change: (record: JobInputRecord) => JobInput,
  ): void {
    const { session, index } = this.#job(userId, sessionId, jobId);
    const record = parseJson(session.jobText(session.jobs[index] ?? 0)) as JobInputRecord;
    session.replaceJob(index, storedJob(change(record)));
  }

  /** Adds a block at the end of a job's answer: a text is a MESSAGE of stage Respond. */
  growAnswer(userId: string, sessionId: string, jobId: string, block: string | JsonObject): void {
    const grown =
      typeof block === 'string'
        ? { type: 'MESSAGE', content: block, group_id: '', group_name: '', stage: 'Respond' }
        : block;
    const change = (record: JobInputRecord): JobInputRecord => {
      const answer = record['answer'] as { blocks?: JsonObject[] } | undefined;
      return { ...record, answer: { ...answer, blocks: [...(answer?.blocks ?? []), grown] } };
    };
    this.changeJob(userId, sessionId, jobId, change);
  }

  deleteJob(userId: string, sessionId: string, jobId: string): void {
    const { session, index } = this.#job(userId, sessionId, jobId);
    session.removeJob(index);
  }

  /** A job id with this creation time (milliseconds since 1970) in it. */
  newJobId(atMs: number): string {
    return `job-${cuid(this.#made('job id'), Math.floor(atMs))}`;
  }

  /** The file of a key; undefined if the file host answers 404. */
  file(key: string): FileContent | undefined {
    return this.#world.files.get(key);
  }

  /** The URL of a key without its signature. */
  urlOf(key: string): string {
    return this.#parts.origin() + pathOfKey(key);
  }

  putFile(key: string, body: string | Uint8Array, mediaType = 'text/csv'): void {
    this.#world.files.put(key, { bytes: Buffer.from(body), mediaType });
  }

  /** Flips one bit in the middle of a file. */
  damageFile(key: string): void {
    const file = this.#world.files.get(key);
    if (!file || file.bytes.length === 0)
      throw new UsageError(`emulator: the file ${key} is missing or empty`);
    const bytes = Buffer.from(file.bytes);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    this.putFile(key, bytes, file.mediaType);
  }

  /** From now on the file host answers 404 for the key. */
  removeFile(key: string): void {
    this.#world.files.remove(key);
  }

  datasets(): readonly DatasetState[] {
    return this.#world.datasets(this.project);
  }

  /** Adds or replaces a dataset, by its id. */
  putDataset(dataset: DatasetState): void {
    this.#world.setDataset(dataset);
  }

  /** See `world/import-histories.ts` for the shape. */
  importJson(text: string): void {
    importText(text, 'the imported text', this.#world, this.project);
  }

  #session(userId: string, sessionId: string): EmulatedSession {
    const session = this.#world.user(this.project, userId).session(sessionId);
    if (!session) throw new UsageError(`emulator: ${userId} has no session ${sessionId}`);
    return session;
  }

  #job(
    userId: string,
    sessionId: string,
    jobId: string,
  ): { session: EmulatedSession; index: number } {
    const session = this.#session(userId, sessionId);
    const index = session.indexOfJob(jobId);
    if (index < 0) throw new UsageError(`emulator: session ${sessionId} has no job ${jobId}`);
    return { session, index };
  }

  #madeUpJob(): { id: string; text: string } {
    const place = { ...MADE_LATER, job: this.#world.nextNumber() };
    return { id: this.#world.seeded.jobId(place), text: this.#world.seeded.job(place) };
  }

  #made(kind: string): RandomStream {
    return RandomStream.of(this.#world.seeded.plan.seed, 'made', kind, this.#world.nextNumber());
  }
}

function storedJob(job: JobInput): { id: string; text: string } {
  const text = typeof job === 'string' ? job : JSON.stringify(job);
  return { id: (parseJson(text) as { job_id: string }).job_id, text };
}

export interface Emulator {
  /** `http://host:port`, without a slash at the end. */
  readonly baseUrl: string;
  /** The origin of the file host. */
  readonly filesUrl: string;
  /** The data; can be read and changed at any time. */
  readonly state: EmulatorState;
  /** The requests so far. */
  readonly stats: TrafficStats;
  /** The faults; can be set at any time. */
  readonly faults: Faults;
  /** Cuts open connections and frees the ports. */
  close(): Promise<void>;
}

/**
 * Resolves when both origins answer.
 *
 * @throws {UsageError} an option or an import file makes no sense, or a port cannot be had
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const settings = emulatorSettings(options);
  const { clock, seed, apiKeys, host } = settings;
  const seedProject = Object.values(apiKeys)[0] ?? '';
  const world = new World(new SeededWorld(settings), seedProject);
  for (const path of settings.importFiles) await importHistories(path, world, seedProject);

  const faults: Faults = { ...noFaults(), ...settings.faults };
  const stats = new TrafficStats();
  const closing = new AbortController();
  // each delayed answer adds a listener, and Node.js warns about more than ten
  setMaxListeners(0, closing.signal);
  const random = RandomStream.of(seed, 'answers');
  const occasions = new Occasions(RandomStream.of(seed, 'faults'));
  let filesUrl = '';
  let growth = 0;
  const secret = `emulator secret ${seed}`;
  const signer = new UrlSigner({
    origin: () => filesUrl,
    secret,
    ttlMs: settings.urlTtlMs,
    clock,
    changingParameter: () => faults.changingUrlParameter,
  });
  const { maxPageSize } = settings;
  const growing = { next: () => ++growth };
  const asked = { world, faults, occasions, signer };
  const context = { ...asked, clock, random, maxPageSize, growth: growing };
  const keys = new KeyRing(settings.apiKeyHeader, apiKeys, settings.expiredApiKeys);
  const rate = new RateWindow(settings.rateLimit);
  const guard = { faults, stats, occasions, clock, closing: closing.signal };
  const api = buildApiServer({ ...guard, handlers: EMULATED_HANDLERS, context, keys, rate });
  const files = buildFileServer({ ...guard, files: world.files, signer });

  const close = async (): Promise<void> => {
    closing.abort(new Error('the emulator is closed'));
    await closeServer(api);
    await closeServer(files);
  };
  try {
    filesUrl = await listen(files, { port: settings.filesPort, host, flag: '--files-port' });
    const baseUrl = await listen(api, { port: settings.port, host, flag: '--port' });
    const state = new EmulatorState({ world, keys, origin: () => filesUrl });
    return { baseUrl, filesUrl, state, stats, faults, close };
  } catch (error) {
    await close();
    throw error;
  }
}
