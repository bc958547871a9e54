/** Rows of `items.csv` and `locations.csv`: what there is, where it lies, where it came from. */
import { artifactOf } from '../archive/objects/artifact-rows.js';
import type { JobRows } from '../archive/reading/rows/session-rows.js';
import { textIn } from '../model/mask-secrets.js';
import type { Row, RowOf } from '../model/table-schema.js';
import type { artifactsTable } from '../model/tables.js';
import { shownFileUrl } from '../model/urls/shown-url.js';
import { operationPath } from '../model/operations.js';
import { NO_PLACE } from '../model/records.js';
import type { ArchiveIdentity } from '../archive/identity.js';
import type { HistoryState } from '../archive/reading/doubts.js';
import { UNKNOWN_DATE } from '../archive/reading/caveats/in-search.js';
import type { JobNotes } from '../making/conversations.js';
import type { CsvFiles } from './csv-files.js';
import type { RecordPlace } from './record-list.js';
import { numberIn, originCells } from './row-cells.js';
import { askedTimes, timeIn, UNKNOWN_TIMES } from '../model/times/asked-times.js';
import { recordIn } from './session-rows.js';
import { serviceStatus, type JobPlan, type SessionPlan } from './plan.js';

export interface PackedFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** A version of a job. */
interface JobVersion {
  readonly session: SessionPlan;
  readonly job: JobPlan;
  readonly rows: JobRows;
}

const DATA = 'data/';

export class ItemRows {
  readonly #csv: CsvFiles;
  readonly #service: ArchiveIdentity['service'];

  constructor(csv: CsvFiles, service: ArchiveIdentity['service']) {
    this.#csv = csv;
    this.#service = service;
  }

  /** @param versions its rows, newest first; there is none where the session was never read to its end */
  async session(
    plan: SessionPlan,
    versions: readonly Row[],
    transcript: PackedFile,
  ): Promise<void> {
    const { user, session, surveyed } = plan;
    const key = { item: 'session', user_id: user, session_id: session, job_id: null };
    const [newest] = versions;
    for (const row of newest ? versions.toReversed() : [undefined]) {
      const isNewest = row === newest;
      await this.#csv.write('items', {
        ...key,
        ...NO_PLACE,
        version: row ? numberIn(row, 'session_version') : null,
        is_newest: isNewest,
        name: row ? textIn(row, 'name') : null,
        ...UNKNOWN_TIMES,
        created_at: timeIn(row, 'created_at'),
        status: isNewest ? HISTORY_STATUS[surveyed.history] : 'superseded',
        matched_in: null,
        note: isNewest ? serviceStatus(surveyed) : null,
        media_type: isNewest ? 'text/plain' : null,
        sha256: isNewest ? transcript.sha256 : null,
        bytes: isNewest ? transcript.bytes : null,
        pack_path: isNewest ? DATA + transcript.path : null,
        pack_offset: null,
        ...originCells(row),
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
    { session, job, rows }: JobVersion,
    place: RecordPlace,
    { matchedIn, isUndated, redaction, ...made }: JobNotes,
  ): Promise<void> {
    const [version, record] = [rows.job.job_version, recordIn(rows)];
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
      ...askedTimes(rows.job),
      status: isNewest ? answerStatus(job, made) : 'superseded',
      matched_in: matchedIn.join(' '),
      note: notes.length === 0 ? null : notes.join('; '),
      media_type: 'application/json',
      sha256: textIn(record, 'record_sha256'),
      bytes: numberIn(record, 'record_bytes'),
      pack_path: DATA + place.packPath,
      pack_offset: place.offset,
      ...originCells(record),
    });
    await this.#location({ ...key, ...NO_PLACE, version }, historyOf(session), null);
  }

  async artifact(
    { session, job, rows }: JobVersion,
    artifact: RowOf<typeof artifactsTable>,
    packPath: string | null,
  ): Promise<void> {
    const key = jobKey('artifact', session, job);
    const version = rows.job.job_version;
    const { role, block_index, file_index, url } = artifact;
    const place = { role, block_index, file_index };
    const file = artifactOf(artifact);
    await this.#csv.write('items', {
      ...key,
      version,
      is_newest: version === job.state.version,
      ...place,
      name: artifact.name,
      ...UNKNOWN_TIMES,
      status: artifact.status,
      matched_in: null,
      note: artifact.reason ?? doubtfulText(artifact),
      media_type: artifact.media_type,
      sha256: file?.sha256 ?? null,
      bytes: file?.bytes ?? null,
      pack_path: packPath === null ? null : DATA + packPath,
      pack_offset: null,
      ...originCells(artifact),
      archive_path: file?.path ?? null,
    });
    const shown = url === null ? null : shownFileUrl(url);
    await this.#location({ ...key, ...place, version }, historyOf(session), shown);
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
export function doubtfulText({ suspicious }: RowOf<typeof artifactsTable>): string | null {
  return suspicious === null ? null : `stored, but doubtful: ${suspicious}`;
}

/** By what the log knows now, as every output tells it. */
function answerStatus(
  { state }: JobPlan,
  { mayChange }: Pick<JobNotes, 'mayChange'>,
): 'settled' | 'may_still_change' | 'not_settled' {
  if (state.settled) return 'settled';
  return mayChange ? 'may_still_change' : 'not_settled';
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
