/** Writes conversations into the pack: user by user, one after the other. Memory holds a few. */
import type { Archive } from '../archive/archive.js';
import { artifactOf } from '../archive/objects/artifact-rows.js';
import { readChecked, type NamedObject } from '../archive/objects/checked-objects.js';
import { inBlockOrder, type JobRows } from '../archive/reading/rows/session-rows.js';
import { holdsOn } from '../archive/holds/holds.js';
import type { GapPlace } from '../archive/log/accepted-gaps.js';
import { concurrently } from '../base/concurrently.js';
import { present } from '../base/error.js';
import type { Survey } from '../making/survey.js';
import { timesIn } from '../model/times/created-at.js';
import { LOST_STATUS } from '../model/gap-counts.js';
import type { Row, RowOf } from '../model/table-schema.js';
import type { artifactsTable } from '../model/tables.js';
import { formatTimestamp } from '../model/times/timestamp.js';
import type { Storage } from '../storage/storage.js';
import type { Bag } from './bag.js';
import type { CsvFiles } from './csv-files.js';
import { ItemRows } from './item-rows.js';
import { artifactPathInPack, recordsPath, transcriptPath } from './pack-paths.js';
import { PackRows } from './pack-rows.js';
import type { Packed } from './packed.js';
import { planUser, type SessionPlan, type UserPlan } from './plan.js';
import { offsetsIn, recordList, type RecordPlace } from './record-list.js';
import { numberIn } from './row-cells.js';
import { askedTimes, timeIn } from '../model/times/asked-times.js';
import type { SessionIndex } from './session-index.js';
import {
  jobsOf,
  partsOf,
  recordIn,
  type PackedConversation,
  type PackedJob,
} from './session-rows.js';
import { transcriptHead, transcriptJob } from './transcript.js';
import {
  UserTotals,
  writeDecided,
  writeGaps,
  writeListingGap,
  writeUserRows,
} from './user-rows.js';

export interface AssembleOptions {
  readonly archive: Archive;
  readonly survey: Survey;
  readonly bag: Bag;
  readonly csv: CsvFiles;
  readonly packed: Packed;
  readonly index: SessionIndex;
  /** Where rows are set aside. */
  readonly target: Storage;
  readonly signal: AbortSignal | undefined;
}

/** Artifacts copied at a time. */
const COPIES = 16;

type ArtifactRow = RowOf<typeof artifactsTable>;

/** @throws {IntegrityError} rows that the log names are missing or doubled, or an artifact is damaged */
export async function assemblePack(options: AssembleOptions): Promise<void> {
  const { archive, survey, target } = options;
  await using rows = await PackRows.of(survey, target);
  const conversations = rows.conversations();
  for (const user of survey.making.selection.users) {
    const plan = await planUser(archive, survey, user);
    const pack = await UserPack.begin(options, rows, plan);
    for (const session of plan.sessions.values()) {
      const next = await conversations.next();
      const conversation = next.done === true ? undefined : next.value;
      await pack.writeSession(session, conversationOf(session, conversation));
    }
    await pack.finish();
  }
}

/** Rows of one conversation never come under the name of another. */
function conversationOf(
  { session, surveyed }: SessionPlan,
  next: PackedConversation | undefined,
): PackedConversation {
  return present(next?.session === surveyed ? next : undefined, `what is set aside of ${session}`);
}

class UserPack {
  readonly #items: ItemRows;
  readonly #totals = new UserTotals();
  /** By their paths in the pack. */
  readonly #artifacts = new Map<string, NamedObject>();
  readonly #options: AssembleOptions;
  readonly #rows: PackRows;
  readonly #plan: UserPlan;

  private constructor(options: AssembleOptions, rows: PackRows, plan: UserPlan) {
    this.#options = options;
    this.#rows = rows;
    this.#plan = plan;
    this.#items = new ItemRows(options.csv, options.archive.identity.service);
  }

  static async begin(options: AssembleOptions, rows: PackRows, plan: UserPlan): Promise<UserPack> {
    await writeDecided(options.csv, plan.view);
    await writeListingGap(options.csv, plan.view);
    return new UserPack(options, rows, plan);
  }

  async writeSession(plan: SessionPlan, conversation: PackedConversation): Promise<void> {
    const { archive, bag, csv, packed, index, survey, signal } = this.#options;
    signal?.throwIfAborted();
    for (const part of partsOf(plan, conversation)) packed.parts.add(part);
    const jobs = jobsOf(plan, conversation);
    const { name: title, versions } = conversation;
    const at = beginOf(plan, versions);
    const path = transcriptPath(plan.surveyed.number, at, title);
    index.add({ plan, at, title, path });
    const transcript = await bag.openText(path);
    const { told } = survey.making.holds;
    const holds = holdsOn(told, plan.user, [plan.session]).filter(
      ({ release }) => release === null,
    );
    await transcript.write(transcriptHead(plan, title, holds));
    const records = await this.#addRecords(plan, jobs);
    const recordOf = (version: JobRows) => present(records.get(version), 'the record of a job');
    for (const job of jobs) {
      const files = inBlockOrder(job.made.artifacts).map((file) => ({
        row: this.#withAcceptance(plan, job.plan.job, file),
        packPath: this.#packPathOf(file),
      }));
      await transcript.write(transcriptJob({ ...job, record: recordOf(job.made), files }));
    }
    const times = new Map(jobs.map((job) => [job.plan.job, askedTimes(job.made.job)]));
    await writeGaps(csv, plan, { name: title, times }, archive.index.acceptedGaps);
    await this.#items.session(plan, versions, { path, ...(await transcript.finish()) });
    for (const version of versions) this.#totals.exported(timeIn(version, 'exported_at'));
    for (const job of jobs) {
      for (const version of job.versions) {
        await this.#writeItems(plan, job, version, recordOf(version));
      }
    }
    packed.sessions++;
    packed.sessionIds.add(plan.session);
    packed.jobs += jobs.length;
    this.#totals.jobs += jobs.length;
  }

  /** After its sessions. */
  async finish(): Promise<void> {
    const { csv, survey, packed, index } = this.#options;
    await this.#copyArtifacts();
    await writeUserRows(csv, survey.making, this.#plan, this.#totals, packed);
    const { view, sessions } = this.#plan;
    await index.finishUser(view.user);
    if (sessions.size > 0) packed.people.add(survey.making.selection.spellings.personOf(view.user));
  }

  /** One file has them all: to make each of many files durable takes longer than all else. @returns by version of a job */
  async #addRecords(
    { surveyed }: SessionPlan,
    jobs: readonly PackedJob[],
  ): Promise<ReadonlyMap<JobRows, RecordPlace>> {
    const versions = jobs.flatMap((job) => job.versions);
    if (versions.length === 0) return new Map();
    const packPath = recordsPath(surveyed.number);
    const rows = versions.map(recordIn);
    const list = recordList(rows.map((row) => this.#rows.recordOf(row)));
    await this.#options.bag.addStream(packPath, list);
    const offsets = offsetsIn(rows.map((row) => numberIn(row, 'record_bytes')));
    this.#options.packed.records += versions.length;
    return new Map(
      versions.map((version, at) => [
        version,
        { packPath, number: at + 1, offset: offsets[at] ?? 0 },
      ]),
    );
  }

  async #writeItems(
    session: SessionPlan,
    job: PackedJob,
    rows: JobRows,
    place: RecordPlace,
  ): Promise<void> {
    const version = { session, job: job.plan, rows };
    await this.#items.job(version, place, job.made);
    this.#totals.records++;
    this.#totals.bytes += numberIn(recordIn(rows), 'record_bytes');
    this.#totals.exported(timeIn(rows.job, 'exported_at'));
    for (const file of inBlockOrder(rows.artifacts)) {
      const packPath = this.#packPathOf(file);
      this.#totals.filePlaces++;
      if (packPath !== null) this.#totals.placesStored++;
      const told = rows === job.made ? this.#withAcceptance(session, job.plan.job, file) : file;
      await this.#items.artifact(version, told, packPath);
    }
  }

  /** A file of a job's newest version, with who has accepted that it is missing. */
  #withAcceptance({ user, session }: SessionPlan, job: string, file: ArtifactRow): ArtifactRow {
    const { role, block_index, file_index, kind, status, reason } = file;
    if (artifactOf(file) || status === LOST_STATUS) return file;
    const { acceptedGaps } = this.#options.archive.index;
    const place = { job, role, block_index, file_index, kind, status } as const;
    const accepted = acceptedGaps.find(user, session, place as GapPlace);
    if (!accepted) return file;
    const told = `accepted by ${accepted.by}: ${accepted.reason}`;
    return { ...file, reason: reason === null ? told : `${reason}; ${told}` };
  }

  /** Null where the file is not stored. A file with a path is copied into the pack. */
  #packPathOf(row: ArtifactRow): string | null {
    const file = artifactOf(row);
    if (!file) return null;
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

/** When its first job in the pack was asked, or when the session was created; null where no id has a time. ISO 8601. */
function beginOf({ jobs }: SessionPlan, [newest]: readonly Row[]): string | null {
  const { times } = timesIn(Array.from(jobs.values(), ({ job }) => job));
  const first = times.find((time) => time !== null);
  if (first) return formatTimestamp(first.micros);
  return timeIn(newest, 'created_at');
}

// eslint-disable-next-line @typescript-eslint/require-await -- what works through it takes its time
async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}
