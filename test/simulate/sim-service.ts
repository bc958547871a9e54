/**
 * The service in memory: its users' jobs, its answers to requests, and a record of everything that it ever
 * showed, which the invariants compare with the archive.
 */
import { sha256Hex } from '../../src/base/digest.js';
import { Misreads } from './misreads.js';
import type { Scheduler } from './scheduler.js';

/** A value that changes, with every value it has had since when. */
export class Changing<T> {
  readonly values: { readonly since: number; readonly value: T }[];

  constructor(since: number, value: T) {
    this.values = [{ since, value }];
  }

  get now(): T {
    return this.values.at(-1)!.value;
  }

  set(since: number, value: T): void {
    this.values.push({ since, value });
  }

  /** Its value at a time, and every later value. */
  since(time: number): T[] {
    const after = this.values.filter((entry) => entry.since > time).map(({ value }) => value);
    const before = this.values.findLast((entry) => entry.since <= time);
    return before ? [before.value, ...after] : after;
  }
}

export interface SimJob {
  readonly id: string;
  readonly madeAtMs: number;
  /** When it was asked, in `SimService.time`. */
  readonly since: number;
  /** Its record, with `{{url:KEY}}` where the service puts a fresh URL. */
  readonly record: Changing<string>;
}

export interface SimSession {
  readonly user: string;
  readonly id: string;
  readonly since: number;
  /** Name and settings, as the listing has them. */
  readonly meta: Changing<string>;
  readonly jobs: SimJob[];
  /** When it was deleted, and by whom. */
  gone: { readonly at: number; readonly by: string } | undefined;
}

export type ListingOrder = 'oldest first' | 'newest first' | 'last changed first';

export interface SimServiceOptions {
  readonly order: ListingOrder;
  /** Limit of records per page. */
  readonly pageCap: number;
  /** Lifetime of file URLs. */
  readonly urlLifeMs: number;
  readonly hasChangingUrls: boolean;
  readonly sharesFiles: number;
}

export const FILE_ORIGIN = 'https://files.sim.example';

export class SimService {
  /** Logical time: increases with each change and each read. */
  time = 0;
  readonly sessions = new Map<string, SimSession>();
  /** Including deleted ones. */
  readonly everySession: SimSession[] = [];
  readonly files = new Map<string, Buffer>();
  /** By key: how often a file was cut off. */
  readonly #cuts = new Map<string, number>();
  readonly misreads = new Misreads(this);
  #ids = 0;
  #signatures = 0;

  constructor(
    readonly scheduler: Scheduler,
    readonly options: SimServiceOptions,
  ) {}

  get users(): string[] {
    return [...new Set(this.everySession.map(({ user }) => user))];
  }

  /** The existing sessions of one user or of all. */
  present(user?: string): SimSession[] {
    return [...this.sessions.values()].filter((one) => user === undefined || one.user === user);
  }

  /** The file's beginning: each time of another length, because two equal ones are taken for the file, with a mark. */
  cut(key: string, bytes: Buffer): Buffer {
    const cuts = this.#cuts.get(key) ?? 0;
    this.#cuts.set(key, cuts + 1);
    return bytes.subarray(0, bytes.length - 1 - (cuts % (bytes.length - 1)));
  }

  tick(): number {
    return ++this.time;
  }

  addSession(user: string): SimSession {
    const id = `session-${this.#cuid(this.scheduler.nowMs())}`;
    const meta = this.#meta(id, `name ${++this.#ids}`);
    const since = this.tick();
    const session: SimSession = {
      user,
      id,
      since,
      meta: new Changing(since, meta),
      jobs: [],
      gone: undefined,
    };
    this.sessions.set(id, session);
    this.everySession.push(session);
    return session;
  }

  /** @param agoMs age of the time in its id */
  addJob(session: SimSession, agoMs: number, fileCount: number): SimJob {
    const madeAtMs = this.scheduler.nowMs() - agoMs;
    const id = `job-${this.#cuid(madeAtMs)}`;
    const since = this.tick();
    const keys = Array.from({ length: fileCount }, () => this.#newFile());
    const record = new Changing(since, this.#record(id, keys, 0));
    const job = { id, madeAtMs, since, record };
    session.jobs.push(job);
    return job;
  }

  /** Changes the answer. */
  grow(job: SimJob): void {
    const files = [...job.record.now.matchAll(/\{\{url:([^}]+)\}\}/g)].map(([, key]) => key!);
    const next = this.#record(job.id, [...new Set(files)], job.record.values.length);
    job.record.set(this.tick(), next);
  }

  rename(session: SimSession): void {
    session.meta.set(this.tick(), this.#meta(session.id, `renamed ${++this.#ids}`));
  }

  remove(session: SimSession, by: string): void {
    session.gone = { at: this.tick(), by };
    this.sessions.delete(session.id);
  }

  /** Removes it, as if it had never existed. */
  forget(session: SimSession): void {
    this.sessions.delete(session.id);
    this.everySession.splice(this.everySession.indexOf(session), 1);
  }

  listed(user: string): SimSession[] {
    const sessions = this.present(user);
    if (this.options.order === 'oldest first') return sessions;
    if (this.options.order === 'newest first') return sessions.reverse();
    const changed = ({ meta, jobs }: SimSession): number =>
      Math.max(meta.values.at(-1)!.since, ...jobs.map((job) => job.record.values.at(-1)!.since));
    return sessions.sort((a, b) => changed(b) - changed(a));
  }

  history(session: SimSession): SimJob[] {
    return this.options.order === 'oldest first' ? session.jobs : session.jobs.toReversed();
  }

  /** A record as it is sent: with freshly signed URLs. */
  signed(record: string): string {
    if (!record.includes('{{')) return record;
    const now = new Date(this.scheduler.nowMs());
    const date = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
    const lifeS = Math.round(this.options.urlLifeMs / 1000);
    return record.replaceAll(/\{\{url:([^}]+)\}\}/g, (_, key: string) => {
      const signature = sha256Hex(`signature ${++this.#signatures}`);
      const unknown = this.options.hasChangingUrls ? `read=${this.#signatures}&` : '';
      return `${FILE_ORIGIN}/${key}?${unknown}X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIA%2Fsim&X-Amz-Date=${date}&X-Amz-Expires=${lifeS}&X-Amz-SignedHeaders=host&X-Amz-Signature=${signature}`;
    });
  }

  #meta(id: string, name: string): string {
    return JSON.stringify({
      id,
      name,
      output_language: 'AUTO',
      job_mode: 'AUTO',
      max_contextual_job_history: 10,
    });
  }

  #record(id: string, keys: readonly string[], edition: number): string {
    const tables = keys.map((key) => ({
      type: 'TABLE',
      content: `{{url:${key}}}`,
      group_id: '',
      group_name: '',
      stage: 'Respond',
    }));
    const text = `answer ${edition} to ${id}`;
    const blocks = [
      ...tables,
      { type: 'MESSAGE', content: text, group_id: '-1', stage: 'Respond' },
    ];
    const question = { blocks: [{ type: 'MESSAGE', content: `what about ${id}?` }] };
    return JSON.stringify({ job_id: id, question, answer: { blocks } });
  }

  #newFile(): string {
    const key = `table-${++this.#ids}.csv`;
    const { scheduler } = this;
    const others = this.options.sharesFiles === 0 ? [] : [...this.files.values()];
    const isShared = others.length > 0 && scheduler.chance(this.options.sharesFiles);
    const own = Buffer.from(`name,value\n${key},${this.#ids}\nsecond,2\n`);
    this.files.set(key, isShared ? scheduler.anyOf(others) : own);
    return key;
  }

  /** A cuid: `c`, 8 base-36 digits of time, 16 more characters. */
  #cuid(atMs: number): string {
    const time = Math.round(atMs).toString(36).padStart(8, '0');
    return `c${time}${(++this.#ids).toString(36).padStart(16, '0')}`;
  }
}

/** A record of an archive with the places of its files instead of their URLs. */
export function unsignedRecord(record: string): string {
  return record.replaceAll(
    /https:\/\/files\.sim\.example\/([^?"]+)\?[^"]*/g,
    (_, key: string) => `{{url:${key}}}`,
  );
}
