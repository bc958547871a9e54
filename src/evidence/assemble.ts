/** Writes what a batch holds into the pack: session by session, job by job, one job in memory. */
import type { Archive } from '../archive/archive.js';
import { concurrently } from '../base/concurrently.js';
import type { ArtifactEntry } from '../archive/log/commit.js';
import { IntegrityError } from '../archive/verify/integrity-error.js';
import type { Bag } from './bag.js';
import { readChecked } from '../archive/parts/checked-read.js';
import type { ArtifactFact, Fact, SessionFact } from './facts.js';
import { createdAtOf } from '../model/created-at.js';
import { formatTimestamp } from '../model/timestamp.js';
import type { IndexPage } from './index-page.js';
import { ItemPages } from './item-pages.js';
import { factsOfJob, factsOfSession, type JobFacts } from './job-facts.js';
import { artifactPathInPack, transcriptPath } from './pack-paths.js';
import type { Packed } from './packed.js';
import type { CsvFiles } from './pages.js';
import type { Batch, SessionPlan, UserPlan } from './plan.js';
import type { Scratch } from './scratch.js';
import type { SearchField } from '../search/search-fields.js';
import type { EvidenceSurvey } from './survey.js';
import { transcriptHead, transcriptJob } from './transcript.js';
import { UserTotals, writeUserPage } from './user-page.js';

export interface AssembleOptions {
  readonly archive: Archive;
  readonly survey: EvidenceSurvey;
  readonly batch: Batch;
  readonly bag: Bag;
  readonly pages: CsvFiles;
  readonly scratch: Scratch<Fact>;
  readonly packed: Packed;
  readonly index: IndexPage;
  readonly signal: AbortSignal | undefined;
}

/** Artifacts copied at a time. */
const COPIES = 16;

/** @throws {IntegrityError} rows that the log names are missing or doubled, or an artifact is damaged */
export async function assembleBatch(options: AssembleOptions): Promise<void> {
  for (const user of options.batch.users.values()) await new UserPack(options, user).write();
}

class UserPack {
  readonly #items: ItemPages;
  readonly #totals = new UserTotals();
  readonly #artifacts = new Map<string, ArtifactEntry>();
  readonly #options: AssembleOptions;
  readonly #plan: UserPlan;

  constructor(options: AssembleOptions, plan: UserPlan) {
    this.#options = options;
    this.#plan = plan;

    this.#items = new ItemPages(options.pages, options.archive.identity.service);
  }

  async write(): Promise<void> {
    const { pages, survey, packed } = this.#options;
    for (const session of this.#plan.sessions.values()) await this.#writeSession(session);
    await this.#copyArtifacts();
    const complete = await writeUserPage(pages, survey, this.#plan, this.#totals);
    if (complete === 'not proven') packed.usersNotProven++;
    packed.users++;
    packed.records += this.#totals.records;
  }

  async #writeSession(session: SessionPlan): Promise<void> {
    const { bag, scratch, packed, index } = this.#options;
    const facts = await factsOfSession(scratch, session);
    const title = facts.at(-1)?.name ?? null;
    const at = beginOf(session, facts);
    const path = transcriptPath(session.number, at, title);
    await index.add({ session, at, title, path });
    const transcript = await bag.openText(path);
    await transcript.write(transcriptHead(session, title));
    for await (const versions of this.#jobsOf(session)) {
      await transcript.write(this.#transcribed(versions));
    }
    await this.#items.session(session, facts, { path, ...(await transcript.finish()) });
    for (const { exportedAt } of facts) this.#totals.exported(exportedAt);
    // read a second time to save memory: the rows above needed the transcript's digest first
    for await (const versions of this.#jobsOf(session)) {
      for (const version of versions) await this.#writeItems(version);
    }
    packed.sessions++;
    packed.sessionIds.add(session.session);
    packed.jobs += session.jobs.size;
  }

  async *#jobsOf(session: SessionPlan): AsyncGenerator<readonly JobFacts[]> {
    for (const job of session.jobs.values()) {
      this.#options.signal?.throwIfAborted();
      yield await factsOfJob(this.#options.scratch, session, job);
    }
  }

  #transcribed(versions: readonly JobFacts[]): string {
    const newest = versions.at(-1);
    if (!newest) return '';
    const { job, fact, record, artifacts } = newest;
    const matchedIn = this.#matchedIn(newest);
    return transcriptJob({
      job: job.job,
      isSettled: job.state.settled,
      versions: versions.length,
      fact,
      recordPath: record.packPath,
      matchedIn,
      files: artifacts.map((file) => ({ fact: file, packPath: this.#packPathOf(file) })),
    });
  }

  async #writeItems(version: JobFacts): Promise<void> {
    await this.#items.job(version, this.#matchedIn(version));
    this.#totals.records++;
    this.#totals.bytes += version.record.bytes;
    this.#totals.exported(version.fact.exportedAt);
    for (const artifact of version.artifacts) {
      const packPath = this.#packPathOf(artifact);
      this.#totals.files++;
      if (packPath !== null) this.#totals.filesStored++;
      await this.#items.artifact(version, artifact, packPath);
    }
  }

  #matchedIn({ session, job }: JobFacts): readonly SearchField[] {
    const { found } = this.#options.survey;
    return found?.matchedIn(session.user, session.session, job.job) ?? [];
  }

  /** Null where the file is not stored. A file with a path is copied into the pack. */
  #packPathOf({ file, path }: ArtifactFact): string | null {
    if (file === null) return null;
    const entry = this.#options.archive.index.contents.artifacts.get(file.path);
    if (entry?.sha256 !== file.sha256) {
      throw new IntegrityError(path, 'rows', 'points to an artifact that the log does not name');
    }
    this.#artifacts.set(entry.path, entry);
    return artifactPathInPack(entry);
  }

  async #copyArtifacts(): Promise<void> {
    const { archive, bag, packed, signal } = this.#options;
    for (const { bytes } of this.#artifacts.values()) this.#totals.bytes += bytes;
    const missing = [...this.#artifacts.values()].filter(({ path }) => !packed.artifacts.has(path));
    await concurrently(each(missing), COPIES, async (entry) => {
      signal?.throwIfAborted();
      packed.artifacts.add(entry.path);
      await bag.addStream(artifactPathInPack(entry), readChecked(archive.storage, entry));
    });
  }
}

/** When its first job in the pack was asked, or when the session was created; null where no id has a time. ISO 8601. */
function beginOf({ jobs }: SessionPlan, facts: readonly SessionFact[]): string | null {
  for (const { job } of jobs.values()) {
    const micros = createdAtOf(job)?.micros;
    if (micros !== undefined) return formatTimestamp(micros);
  }
  return facts.at(-1)?.createdAt ?? null;
}

// eslint-disable-next-line @typescript-eslint/require-await -- what works through it takes its time
async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
