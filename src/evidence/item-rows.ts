/** Rows of `items.csv` and `locations.csv`: what there is, where it lies, where it came from. */
import { operationPath } from '../model/operations.js';
import { NO_PLACE } from '../model/records.js';
import type { ArchiveIdentity } from '../archive/identity.js';
import type { ArtifactFact, JobFact, RecordFact, SessionFact } from './facts.js';
import type { HistoryState } from '../archive/reading/doubts.js';
import { UNKNOWN_DATE } from '../archive/reading/caveats/caveat.js';
import type { JobNotes } from '../making/conversations.js';
import type { CsvFiles } from './csv-files.js';
import { serviceStatus, type JobPlan, type SessionPlan } from './plan.js';

export interface PackedFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** A version of a job. */
export interface JobVersion {
  readonly session: SessionPlan;
  readonly job: JobPlan;
  readonly fact: JobFact;
  readonly record: RecordFact;
}

const DATA = 'data/';
/** The bounds of a session and of a file, which have none. */
const NO_BOUNDS = { created_after: null, created_before: null };

export class ItemRows {
  readonly #csv: CsvFiles;
  readonly #service: ArchiveIdentity['service'];

  constructor(csv: CsvFiles, service: ArchiveIdentity['service']) {
    this.#csv = csv;
    this.#service = service;
  }

  /** @param facts every version, oldest first; there is none where the session was never read to its end */
  async session(
    plan: SessionPlan,
    facts: readonly SessionFact[],
    transcript: PackedFile,
  ): Promise<void> {
    const { user, session, surveyed } = plan;
    const key = { item: 'session', user_id: user, session_id: session, job_id: null };
    const rows = facts.length > 0 ? facts : [undefined];
    for (const fact of rows) {
      const isNewest = fact === rows.at(-1);
      await this.#csv.write('items', {
        ...key,
        ...NO_PLACE,
        version: fact?.version ?? null,
        is_newest: isNewest,
        name: fact?.name ?? null,
        created_at: fact?.createdAt ?? null,
        ...NO_BOUNDS,
        exported_at: fact?.exportedAt ?? null,
        status: isNewest ? HISTORY_STATUS[surveyed.history] : 'superseded',
        matched_in: null,
        note: isNewest ? serviceStatus(surveyed) : null,
        media_type: isNewest ? 'text/plain' : null,
        sha256: isNewest ? transcript.sha256 : null,
        bytes: isNewest ? transcript.bytes : null,
        pack_path: isNewest ? DATA + transcript.path : null,
        pack_offset: null,
        archive_path: fact?.path ?? null,
        commit: fact?.commit ?? null,
      });
    }
    await this.#location(
      { ...key, ...NO_PLACE, version: null },
      operationPath('listSessions'),
      null,
    );
  }

  /** @param told where the words of a search stand in its newest version, whether nothing tells if it is in the period, and the decision that redacts it */
  async job(
    { session, job, fact, record }: JobVersion,
    { matchedIn, isUndated, redaction }: Pick<JobNotes, 'matchedIn' | 'isUndated' | 'redaction'>,
  ): Promise<void> {
    const { version } = fact;
    const isNewest = version === job.state.version;
    const key = jobKey('job', session, job);
    const notes = [
      ...(isUndated ? [UNKNOWN_DATE] : []),
      ...(redaction === null ? [] : [redaction]),
    ];
    await this.#csv.write('items', {
      ...key,
      ...NO_PLACE,
      version,
      is_newest: isNewest,
      name: null,
      created_at: fact.createdAt,
      created_after: fact.createdAfter,
      created_before: fact.createdBefore,
      exported_at: fact.exportedAt,
      status: isNewest ? (job.state.settled ? 'settled' : 'unsettled') : 'superseded',
      matched_in: matchedIn.join(' '),
      note: notes.length === 0 ? null : notes.join('; '),
      media_type: 'application/json',
      sha256: record.sha256,
      bytes: record.bytes,
      pack_path: DATA + record.packPath,
      pack_offset: record.offset,
      archive_path: record.path,
      commit: record.commit,
    });
    await this.#location({ ...key, ...NO_PLACE, version }, historyOf(session), null);
  }

  async artifact(
    { session, job, fact: { version } }: Omit<JobVersion, 'record'>,
    artifact: ArtifactFact,
    packPath: string | null,
  ): Promise<void> {
    const key = jobKey('artifact', session, job);
    const { role, block, file_index } = artifact;
    const place = { role, block_index: block, file_index };
    await this.#csv.write('items', {
      ...key,
      version,
      is_newest: version === job.state.version,
      ...place,
      name: artifact.name,
      created_at: null,
      ...NO_BOUNDS,
      exported_at: artifact.exportedAt,
      status: artifact.status,
      matched_in: null,
      note: artifact.reason ?? doubtfulText(artifact),
      media_type: artifact.mediaType,
      sha256: artifact.file?.sha256 ?? null,
      bytes: artifact.file?.bytes ?? null,
      pack_path: packPath === null ? null : DATA + packPath,
      pack_offset: null,
      archive_path: artifact.file?.path ?? null,
      commit: artifact.commit,
    });
    await this.#location({ ...key, ...place, version }, historyOf(session), artifact.url);
  }

  async #location(
    place: {
      readonly item: string;
      readonly user_id: string;
      readonly session_id: string;
      readonly job_id: string | null;
      readonly version: number | null;
      readonly role: string | null;
      readonly block_index: number | null;
      readonly file_index: number | null;
    },
    endpoint: string,
    url: string | null,
  ): Promise<void> {
    const { base_url: service, project } = this.#service;
    await this.#csv.write('locations', {
      ...place,
      service,
      project,
      endpoint,
      original_url: url,
    });
  }
}

/** What is said of a file that the archive holds and is not sure of. */
export function doubtfulText({ doubt }: Pick<ArtifactFact, 'doubt'>): string | null {
  return doubt === null ? null : `stored, but doubtful: ${doubt}`;
}

function jobKey(item: string, { user, session }: SessionPlan, { job }: JobPlan) {
  return { item, user_id: user, session_id: session, job_id: job };
}

/** The path of the request that reads the history. */
function historyOf({ session }: SessionPlan): string {
  return operationPath('getHistory', session.toWellFormed());
}

const HISTORY_STATUS: Readonly<Record<HistoryState, string>> = {
  read_to_end: 'history_read_to_end',
  in_doubt: 'history_in_doubt',
  not_read_to_end: 'history_not_read_to_end',
};
