/** Writes what a batch holds into the pack: user by user, session by session. Memory holds what was set aside of some sessions. */
import type { GapPlace } from '../archive/log/accepted-gaps.js';
import { LOST_STATUS } from '../model/gap-counts.js';
import { present } from '../base/error.js';
import type { Archive } from '../archive/archive.js';
import { concurrently } from '../base/concurrently.js';
import type { Bag } from './bag.js';
import { readChecked, type NamedObject } from '../archive/checked-objects.js';
import { type ArtifactFact, type SessionFact, type Packed } from './facts.js';
import { holdsOn } from '../archive/holds.js';
import { artifactPathInPack, transcriptPath } from './pack-paths.js';
import { timesIn } from '../model/created-at.js';
import { formatTimestamp } from '../model/timestamp.js';
import { ItemRows } from './item-rows.js';
import type { CsvFiles } from './csv-files.js';
import { type GapSession, UserTotals, writeUserRows } from './user-rows.js';
import type { Batch, SessionPlan, UserPlan } from './plan.js';
import { notesOn } from '../making/conversations.js';
import type { Making } from '../making/making.js';
import type { SessionIndex } from './session-index.js';
import type { JobFacts, SessionFacts, SetAside } from './set-aside.js';
import { transcriptHead, transcriptJob } from './transcript.js';

export interface AssembleOptions {
  readonly archive: Archive;
  readonly making: Making;
  readonly batch: Batch;
  readonly bag: Bag;
  readonly csv: CsvFiles;
  readonly aside: SetAside;
  readonly packed: Packed;
  readonly index: SessionIndex;
  readonly signal: AbortSignal | undefined;
}

/** Artifacts copied at a time. */
const COPIES = 16;
const NO_TEXTS = { question: null, answer: null };

/** @throws {IntegrityError} rows that the log names are missing or doubled, or an artifact is damaged */
export async function assembleBatch(options: AssembleOptions): Promise<void> {
  const sessions = options.aside.sessions();
  for (const user of options.batch.users.values()) {
    const pack = new UserPack(options, user);
    for (const session of user.sessions.values()) {
      const { value: facts } = await sessions.next();
      await pack.writeSession(session, present(facts, `what is set aside of ${session.session}`));
    }
    await pack.finish();
  }
}

class UserPack {
  readonly #items: ItemRows;
  readonly #totals = new UserTotals();
  /** By their paths in the pack. */
  readonly #artifacts = new Map<string, NamedObject>();
  /** The sessions with gaps. */
  readonly #gapSessions = new Map<SessionPlan, GapSession>();
  readonly #options: AssembleOptions;
  readonly #plan: UserPlan;

  constructor(options: AssembleOptions, plan: UserPlan) {
    this.#options = options;
    this.#plan = plan;

    this.#items = new ItemRows(options.csv, options.archive.identity.service);
  }

  async writeSession(session: SessionPlan, sessionFacts: SessionFacts): Promise<void> {
    const { bag, packed, index, signal } = this.#options;
    const facts = sessionFacts.versions;
    const title = facts.at(-1)?.name ?? null;
    const at = beginOf(session, facts);
    const path = transcriptPath(session.number, at, title);
    index.add({ session, at, title, path });
    const transcript = await bag.openText(path);
    const { told } = this.#options.making.holds;
    const holds = holdsOn(told, session.user, [session.session]).filter(
      ({ release }) => release === null,
    );
    await transcript.write(transcriptHead(session, title, holds));
    const jobs: (readonly JobFacts[])[] = [];
    for (const versions of sessionFacts.jobs()) {
      signal?.throwIfAborted();
      await transcript.write(this.#transcribed(versions));
      // the rows of items need the transcript's digest first, and no texts
      jobs.push(
        versions.map((version) => ({ ...version, fact: { ...version.fact, ...NO_TEXTS } })),
      );
    }
    if (session.gaps.length > 0) this.#gapSessions.set(session, gapSession(title, jobs));
    await this.#items.session(session, facts, { path, ...(await transcript.finish()) });
    for (const { exportedAt } of facts) this.#totals.exported(exportedAt);
    for (const version of jobs.flat()) await this.#writeItems(version);
    packed.sessions++;
    packed.sessionIds.add(session.session);
    packed.jobs += session.jobs.size;
  }

  /** After its sessions. */
  async finish(): Promise<void> {
    const { archive, csv, making, packed, index } = this.#options;
    const { acceptedGaps } = archive.index;
    await this.#copyArtifacts();
    const facts = { totals: this.#totals, gapSessions: this.#gapSessions, acceptedGaps };
    await writeUserRows(csv, making, this.#plan, facts, packed);
    await index.finishUser(this.#plan.view.user);
    const { view, sessions } = this.#plan;
    if (sessions.size > 0) packed.people.add(making.selection.spellings.personOf(view.user));
    packed.records += this.#totals.records;
  }

  #transcribed(versions: readonly JobFacts[]): string {
    const newest = present(versions.at(-1), 'the newest version of a job');
    const { job, fact, record, artifacts, code, entries } = newest;
    const { matchedIn, isUndated, redaction } = this.#notesOn(newest);
    return transcriptJob({
      job: job.job,
      place: job.place,
      isUndated,
      redaction,
      code,
      entries,
      isSettled: job.state.settled,
      versions: versions.length,
      fact,
      recordPath: record.packPath,
      matchedIn,
      files: artifacts.map((file) => ({
        fact: this.#withAcceptance(newest, file),
        packPath: this.#packPathOf(file),
      })),
    });
  }

  async #writeItems(version: JobFacts): Promise<void> {
    await this.#items.job(version, this.#notesOn(version));
    this.#totals.records++;
    this.#totals.bytes += version.record.bytes;
    this.#totals.exported(version.fact.exportedAt);
    for (const artifact of version.artifacts) {
      const packPath = this.#packPathOf(artifact);
      this.#totals.filePlaces++;
      if (packPath !== null) this.#totals.placesStored++;
      await this.#items.artifact(version, this.#withAcceptance(version, artifact), packPath);
    }
  }

  /** The file with who has accepted that it is missing. */
  #withAcceptance({ session, job, fact: { version } }: JobFacts, file: ArtifactFact): ArtifactFact {
    const { role, block: block_index, file_index, type: kind, status, reason } = file;
    if (file.file !== null || status === LOST_STATUS || version !== job.state.version) return file;
    const { acceptedGaps } = this.#options.archive.index;
    const place = { job: job.job, role, block_index, file_index, kind, status } as const;
    const accepted = acceptedGaps.find(session.user, session.session, place as GapPlace);
    if (!accepted) return file;
    const told = `accepted by ${accepted.by}: ${accepted.reason}`;
    return { ...file, reason: reason === null ? told : `${reason}; ${told}` };
  }

  #notesOn({ session, job }: JobFacts): ReturnType<typeof notesOn> {
    return notesOn(this.#options.making, session, job.job);
  }

  /** Null where the file is not stored. A file with a path is copied into the pack. */
  #packPathOf({ file }: ArtifactFact): string | null {
    if (file === null) return null;
    const packPath = artifactPathInPack(file);
    this.#artifacts.set(packPath, file);
    return packPath;
  }

  async #copyArtifacts(): Promise<void> {
    const { archive, bag, packed, signal } = this.#options;
    for (const { bytes } of this.#artifacts.values()) this.#totals.bytes += bytes;
    const missing = [...this.#artifacts].filter(([packPath]) => !packed.artifacts.has(packPath));
    await concurrently(each(missing), COPIES, async ([packPath, entry]) => {
      signal?.throwIfAborted();
      packed.artifacts.add(packPath);
      await bag.addStream(packPath, readChecked(archive.storage, entry));
    });
  }
}

function gapSession(title: string | null, jobs: readonly (readonly JobFacts[])[]): GapSession {
  const times = jobs.flatMap((versions) => {
    const newest = versions.at(-1);
    return newest ? [[newest.job.job, newest.fact] as const] : [];
  });
  return { name: title, times: new Map(times) };
}

/** When its first job in the pack was asked, or when the session was created; null where no id has a time. ISO 8601. */
function beginOf({ jobs }: SessionPlan, facts: readonly SessionFact[]): string | null {
  const { times } = timesIn(Array.from(jobs.values(), ({ job }) => job));
  const first = times.find((time) => time !== null);
  if (first) return formatTimestamp(first.micros);
  return facts.at(-1)?.createdAt ?? null;
}

// eslint-disable-next-line @typescript-eslint/require-await -- what works through it takes its time
async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
