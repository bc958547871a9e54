/** Prepares redacted commits and their manifests under `_erasures/`. */
import type { Archive } from '../archive.js';
import { encodeCommit } from '../log/commit-reader.js';
import {
  type BegunErasure,
  type Commit,
  type JobLine,
  type JobsEntry,
  type UserEntry,
  type UsersEntry,
} from '../log/commit.js';
import { readManifest, StagedManifest, type Lines } from '../log/manifest.js';
import { partitionOf, redactedManifestPath, redactedPath } from '../paths.js';
import type { ErasurePlan } from './write-plan.js';
import { readAhead } from '../../base/concurrently.js';
import { sha256Hex } from '../../base/digest.js';
import { type RunId } from '../../model/ids.js';
import { firstListing } from './erasure-target.js';
import type { ErasureTarget } from './erasure-target.js';
import { type ErasedText, type Redaction, redactCommit } from './redact-commit.js';

export interface RedactedLog {
  readonly vouched: BegunErasure['commits'];
  readonly plan: ErasurePlan['commits'];
  /** How many texts of people became `[erased]`. */
  readonly texts: number;
}

/** Users manifests read at a time. */
const READ_AHEAD = 8;

export class LogRedaction {
  /** Redacted manifests by commit number: they do not depend on the receipt. */
  readonly #jobs = new Map<number, JobsEntry | null>();
  readonly #users = new Map<number, UsersEntry | null>();
  readonly #archive: Archive;
  readonly #id: RunId;
  readonly #redaction: Redaction;

  constructor(archive: Archive, id: RunId, redaction: Redaction) {
    this.#archive = archive;
    this.#id = id;
    this.#redaction = redaction;
  }

  /** @param receipt number of the commit that will vouch for them */
  async prepare(receipt: number): Promise<RedactedLog> {
    const { storage, index } = this.#archive;
    const bounds = this.#boundsBefore(receipt);
    const vouched: BegunErasure['commits'][number][] = [];
    const plan: ErasurePlan['commits'] = [];
    let texts = 0;
    const tell = () => {
      texts += 1;
    };
    const first = await firstListing(this.#archive, this.#redaction.target);
    const walk = index.walk({ through: receipt - 1 });
    const read = async (commit: Commit) => {
      const users = commit.number < first ? commit.users : await this.#redactUsers(commit);
      return { commit, users };
    };
    for await (const { commit, users } of readAhead(walk, READ_AHEAD, read)) {
      const hasNewUsers = users?.path !== commit.users?.path;
      const redacted = redactCommit(commit, { ...this.#redaction, bounds, tell }, hasNewUsers);
      if (!redacted) continue;
      const jobs = await this.#redactJobs(commit);
      const bytes = encodeCommit({ ...redacted, jobs, users, redacted_by: receipt });
      const { number } = commit;
      await storage.put(redactedPath(this.#id, number), bytes);
      vouched.push({
        number,
        sha256: sha256Hex(bytes),
        jobs_sha256: jobs?.sha256 ?? null,
        users_sha256: users?.sha256 ?? null,
      });
      const hasNewJobs = jobs?.path !== commit.jobs?.path;
      plan.push({
        number,
        jobs: hasNewJobs ? (jobs?.path ?? null) : null,
        oldJobs: hasNewJobs ? (commit.jobs?.path ?? null) : null,
        users: hasNewUsers ? (users?.path ?? null) : null,
        oldUsers: hasNewUsers ? (commit.users?.path ?? null) : null,
      });
    }
    return { vouched, plan, texts };
  }

  /**
   * Whose bounds may tell of the erased: files that were gone once this or an earlier erasure had taken rows of their
   * table. One that was there then has rows of others alone, and the Delta log tells its bounds, too.
   */
  #boundsBefore(receipt: number): NonNullable<Redaction['bounds']> {
    const { removed = [] } = this.#redaction;
    const removedAt = new Map<string, number>();
    const erasedAt = new Map<string, number>();
    const changes = this.#archive.index.fileChanges;
    for (const change of [...changes, { number: receipt, kind: 'erase', removed }]) {
      for (const path of change.removed) {
        removedAt.set(path, change.number);
        const place = change.kind === 'erase' ? partitionOf(path) : undefined;
        if (place?.extension === 'parquet') erasedAt.set(place.table, change.number);
      }
    }
    return (number, { path, table }) => {
      const erased = erasedAt.get(table) ?? 0;
      return number < erased && (removedAt.get(path) ?? Infinity) <= erased;
    };
  }

  /** The entry of the commit as it is, if its users manifest does not name the erased. */
  async #redactUsers({ number, users }: Commit): Promise<UsersEntry | null> {
    const known = this.#users.get(number);
    if (known !== undefined || !users) return known ?? null;
    const { target } = this.#redaction;
    const kept: UserEntry[] = [];
    for await (const line of readManifest(this.#archive.storage, 'users', users)) {
      if (!target.hasUser(line.user)) kept.push(line);
    }
    const entry = kept.length === users.rows ? users : await this.#publish('users', number, kept);
    this.#users.set(number, entry);
    return entry;
  }

  async #redactJobs({ number, jobs, sessions }: Commit): Promise<JobsEntry | null> {
    const { target } = this.#redaction;
    if (!jobs || !sessions.some((entry) => target.has(entry))) return jobs;
    const known = this.#jobs.get(number);
    if (known !== undefined) return known;
    const lines = readManifest(this.#archive.storage, 'jobs', jobs);
    async function* kept(): AsyncGenerator<JobLine> {
      for await (const line of lines) if (!target.has(line)) yield line;
    }
    const entry = await this.#publish('jobs', number, kept());
    this.#jobs.set(number, entry);
    return entry;
  }

  #publish(name: 'jobs', number: number, lines: Lines<JobLine>): Promise<JobsEntry | null>;
  #publish(name: 'users', number: number, lines: Lines<UserEntry>): Promise<UsersEntry | null>;
  async #publish(
    name: 'jobs' | 'users',
    number: number,
    lines: Lines<never>,
  ): Promise<JobsEntry | UsersEntry | null> {
    const staged = await StagedManifest.stage(this.#archive.storage, name, lines);
    if (!staged) return null;
    try {
      await staged.publish(redactedManifestPath(name, this.#id, number));
      return staged.entryFor(number);
    } finally {
      await staged.discard();
    }
  }
}

/** Every text of people that an erasure turns into `[erased]`, as of the newest commit that the index knows. @param target after `learnFromLog` */
export async function textsGoing(
  archive: Archive,
  target: ErasureTarget,
  signal: AbortSignal,
): Promise<ErasedText[]> {
  const { index, storage } = archive;
  const texts: ErasedText[] = [];
  const tell = (text: ErasedText) => texts.push(text);
  const first = await firstListing(archive, target);
  const listsErased = async ({ number, scope, users }: Commit): Promise<boolean> => {
    // only the words of its search, of all texts of a commit, depend on whom it lists
    if (!users || number < first || typeof scope['search'] !== 'string') return false;
    for await (const { user } of readManifest(storage, 'users', users)) {
      if (target.hasUser(user)) return true;
    }
    return false;
  };
  for await (const commit of index.walk({ through: index.through, signal })) {
    redactCommit(commit, { target, tell }, await listsErased(commit));
  }
  return texts;
}
