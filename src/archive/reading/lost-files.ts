/** Tables and images that the log names and the storage has lost: what is made without them names each place. */
import { concurrently } from '../../base/concurrently.js';
import { asJobId, rowId, sessionKey, type SessionId, type UserId } from '../../model/ids.js';
import { textIn, textOrEmpty } from '../../model/mask-secrets.js';
import { LOST_STATUS } from '../../model/gap-counts.js';
import type { Row } from '../../model/table-schema.js';
import { artifactsTable, sessionsTable } from '../../model/tables.js';
import type { Archive } from '../archive.js';
import { IntegrityError } from '../archive-errors.js';
import { artifactOf } from '../objects/artifact-rows.js';
import { checkObject, type NamedObject } from '../objects/checked-objects.js';
import type { GapEntry } from '../log/commit.js';
import type { SelectedRows } from './rows/selected-rows.js';

const READS_AT_ONCE = 16;
/** What the rows of lost files say is not shown: they need no more than what names the file. */
const NOT_NEEDED = ['url', 'expires_at', 'media_type', 'run_id', 'exported_at'];

/** A place where a conversation has a file that is lost: one file may stand in several. */
export interface LostPlace {
  readonly path: string;
  readonly user: string;
  readonly session: string;
  /** Null where the session has no name. */
  readonly sessionName: string | null;
  readonly job: string;
  /** What the file is called there; null where it has no name. */
  readonly name: string | null;
  /** `is missing` */
  readonly why: string;
}

export class LostFiles {
  static readonly NONE = new LostFiles(new Map());
  /** By path: what is wrong with it. */
  readonly #reasons: ReadonlyMap<string, string>;
  readonly #gaps = new Map<string, GapEntry[]>();
  readonly #places: Omit<LostPlace, 'sessionName'>[] = [];
  /** By session: its newest version, and what it is called there. */
  readonly #names = new Map<string, { readonly version: number; readonly name: string | null }>();

  private constructor(reasons: ReadonlyMap<string, string>) {
    this.#reasons = reasons;
  }

  /**
   * Reads every file that the selected rows point to.
   *
   * @throws {IntegrityError | FormatError} something else is damaged
   */
  static async of(archive: Archive, rows: SelectedRows, signal?: AbortSignal): Promise<LostFiles> {
    const files = new Map<string, NamedObject>();
    for await (const row of rows.rows(artifactsTable, NOT_NEEDED)) {
      const file = artifactOf(row);
      if (file) files.set(file.path, file);
    }
    const reasons = new Map<string, string>();
    await concurrently(files.values(), READS_AT_ONCE, async (file) => {
      try {
        await checkObject(archive.storage, file, signal);
      } catch (error) {
        if (!(error instanceof IntegrityError)) throw error;
        reasons.set(file.path, error.detail);
      }
    });
    if (reasons.size === 0) return LostFiles.NONE;
    const lost = new LostFiles(reasons);
    for await (const row of rows.rows(artifactsTable, NOT_NEEDED)) lost.#add(row);
    for await (const row of rows.rows(sessionsTable)) lost.#nameSession(row);
    return lost;
  }

  /** How many files they are. */
  get files(): number {
    return this.#reasons.size;
  }

  /** In the order of the rows. */
  get places(): readonly LostPlace[] {
    return this.#places.map((place) => {
      const { name = null } = this.#names.get(sessionKey(place.user, place.session)) ?? {};
      return { ...place, sessionName: name };
    });
  }

  /** Each place of the session's jobs that points to one, in any version. */
  gapsOf(user: UserId, session: SessionId): readonly GapEntry[] {
    if (this.#gaps.size === 0) return [];
    return this.#gaps.get(sessionKey(rowId(user), rowId(session))) ?? [];
  }

  /** The row of a file as one of a file that is not stored, if it is lost. */
  shown(row: Row): Row {
    const path = textIn(row, 'path');
    const why = path === null ? undefined : this.#reasons.get(path);
    if (path === null || why === undefined) return row;
    return {
      ...row,
      status: LOST_STATUS,
      reason: reasonOf(path, why),
      path: null,
      suspicious: null,
    };
  }

  #add(row: Row): void {
    const path = textIn(row, 'path');
    const why = path === null ? undefined : this.#reasons.get(path);
    if (path === null || why === undefined) return;
    const [user, session] = [textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id')];
    const name = textIn(row, 'name');
    const gap: GapEntry = {
      job: asJobId(textOrEmpty(row, 'job_id')),
      role: textIn(row, 'role'),
      block_index: Number(row['block_index'] ?? 0),
      file_index: Number(row['file_index'] ?? 0),
      kind: textIn(row, 'kind'),
      status: LOST_STATUS,
      reason: reasonOf(path, why),
    };
    const key = sessionKey(user, session);
    const gaps = this.#gaps.get(key) ?? [];
    // versions of a job point to one file from the same place
    const isKnown = gaps.some(
      (known) =>
        known.job === gap.job &&
        known.role === gap.role &&
        known.block_index === gap.block_index &&
        known.file_index === gap.file_index &&
        known.reason === gap.reason,
    );
    if (isKnown) return;
    this.#places.push({ path, user, session, job: textOrEmpty(row, 'job_id'), name, why });
    this.#gaps.set(key, [...gaps, gap]);
  }

  #nameSession(row: Row): void {
    const key = sessionKey(textOrEmpty(row, 'user_id'), textOrEmpty(row, 'session_id'));
    const version = Number(row['session_version'] ?? 0);
    if (version < (this.#names.get(key)?.version ?? 0)) return;
    this.#names.set(key, { version, name: textIn(row, 'name') });
  }
}

function reasonOf(path: string, why: string): string {
  return `it was archived, and is lost: in the archive, ${path} ${why}`;
}
