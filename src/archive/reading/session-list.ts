/** Lists the sessions of an archive, the newest first, and finds those that a person means. */
import { createdAtOf } from '../../model/times/created-at.js';
import type { GapCounts } from '../../model/gap-counts.js';
import { rowId, sessionKey, type UserId } from '../../model/ids.js';
import type { Row } from '../../model/table-schema.js';
import { knownTime } from '../../model/times/timestamp.js';
import { sessionsTable } from '../../model/tables.js';
import type { Archive } from '../archive.js';
import type { ArchiveIdentity } from '../identity.js';
import { columnsBut } from '../parts/read-part.js';
import { readConsistently } from '../consistent-read.js';
import { retryOnRewrite } from '../retry-on-rewrite.js';
import { newestOf, type SessionSummary } from '../state/session-summary.js';
import { HeldSessions } from '../holds/held-sessions.js';
import { Holds } from '../holds/holds.js';
import { ArchiveView, type ViewedSession } from './archive-view.js';
import { jobBoundsOf } from './job-bounds.js';
import { knownAt, knowsDaysAlone } from './known-days.js';
import { parsedScope, type GivenScope } from './scope.js';
import { Selection } from './selection.js';
import { SelectedRows } from './rows/selected-rows.js';

export interface ListedSession extends GapCounts {
  readonly user_id: string;
  readonly session_id: string;
  /** Null if its history was never read to the end. */
  readonly name: string | null;
  /** ISO 8601, of a copy that knows no more the day, here and below; null if its id tells no time. */
  readonly created_at: string | null;
  /**
   * Bounds of the time at which its newest job was asked, of the jobs with a known time or bound; ISO 8601.
   * Equal if the time is known; null if there is no bound on that side.
   */
  readonly newest_job_after: string | null;
  readonly newest_job_before: string | null;
  /** Archived jobs. */
  readonly jobs: number;
  /** When a listing first lacked it; ISO 8601. Null while the service lists it. */
  readonly gone_at: string | null;
  /** Whether jobvault has deleted it from the service. */
  readonly deleted: boolean;
  /** Whether a hold of the archive binds it. */
  readonly held: boolean;
}

export interface ListScope extends GivenScope {
  /** Only the newest so many. Default: all. */
  readonly most?: number | undefined;
}

export interface ListedSessions {
  /** How many there are. */
  readonly total: number;
  /** The newest first. */
  readonly sessions: readonly ListedSession[];
}

/**
 * Memory holds so many sessions as are asked for: names are read of these alone.
 *
 * @throws {UsageError} the archive has no such user or session
 * @throws {IntegrityError | FormatError} the archive is damaged
 */
export async function listArchivedSessions(
  reading: {
    readonly archive: Archive;
    readonly signal?: AbortSignal | undefined;
  },
  { most = Infinity, ...given }: ListScope,
): Promise<ListedSessions> {
  const { archive, signal } = reading;
  const scope = parsedScope(given, archive.clock.now());
  return retryOnRewrite(() =>
    readConsistently(archive, 'answer', async () => {
      const view = await ArchiveView.of(archive, scope, { tellsListings: false, signal });
      const allRows = async () => newestSessionRows(await SelectedRows.of(reading, view.selection));
      const newest = new NewestOf(most);
      const isCopy = archive.identity.pseudonymised !== undefined;
      // in a copy no id tells a time
      const ofCopy = isCopy ? await allRows() : undefined;
      for await (const found of isCopy ? viewedInCopy(view) : viewedIn(view)) {
        newest.add(found, createdOf(found, ofCopy));
      }
      const sessions = newest.sessions();
      const isAll = sessions.length === newest.total;
      const ids = sessions.map(({ viewed }) => viewed.session);
      const rows = ofCopy ?? (isAll ? await allRows() : await rowsOfSessions(reading, ids));
      const holds = await new HeldSessions(archive, Holds.none).now();
      const { pseudonymised: copy } = archive.identity;
      const listed = sessions.map(({ user, viewed, jobs }) => {
        const row = rows.get(keyOf(user, viewed.session));
        const held = holds.reasonFor(user, viewed.session) !== undefined;
        const marks = { ...viewed.gapCounts, held };
        const created = createdOf({ user, viewed, jobs }, ofCopy);
        return listedSession(user, viewed, { jobs, marks, row, created, copy });
      });
      return { total: newest.total, sessions: listed };
    }),
  );
}

/** A session of the list, without what its row tells. */
interface Found {
  readonly user: UserId;
  readonly viewed: ViewedSession<ServiceState>;
  readonly jobs: ListedJobs;
}

async function* viewedIn(view: ArchiveView): AsyncGenerator<Found> {
  for await (const { user, sessions } of view.summaries()) {
    for (const viewed of sessions) yield { user, viewed, jobs: viewed.state.jobs };
  }
}

/** Rows tell when its jobs were asked. */
async function* viewedInCopy(view: ArchiveView): AsyncGenerator<Found> {
  const boundsOf = await jobBoundsOf(view.archive, view.signal);
  for await (const { user, sessions } of view.users()) {
    for (const viewed of sessions) {
      const { session, state } = viewed;
      const newest = newestOf([...boundsOf(user, session, state).values()]);
      yield { user, viewed, jobs: { total: state.jobs.size, newest } };
    }
  }
}

/** When the session itself was made: its id tells it, but for one of a pseudonymised copy, whose row does. */
function createdOf(
  { user, viewed: { session } }: Found,
  ofCopy: ReadonlyMap<string, Row> | undefined,
): bigint | null {
  if (!ofCopy) return createdAtOf(session)?.micros ?? null;
  const cell = ofCopy.get(keyOf(user, session))?.['created_at'];
  return typeof cell === 'bigint' ? cell : null;
}

/** After so many sessions, those beyond what is asked for are let go of. */
const LET_GO_AFTER = 1000;

/** The newest sessions: ordered by the newest job, a session without such a time by its own. */
class NewestOf {
  total = 0;
  readonly #most: number;
  #kept: (Found & { readonly moment: bigint })[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  add(found: Found, created: bigint | null): void {
    const { after, before } = found.jobs.newest;
    this.#kept.push({ ...found, moment: before ?? after ?? created ?? NO_MOMENT });
    this.total++;
    if (this.#kept.length >= this.#most + LET_GO_AFTER) this.#kept = this.sessions();
  }

  sessions(): (Found & { readonly moment: bigint })[] {
    const sorted = this.#kept.sort((a, b) => {
      if (a.moment !== b.moment) return a.moment < b.moment ? 1 : -1;
      return a.viewed.session < b.viewed.session ? -1 : 1;
    });
    return this.#most === Infinity ? sorted : sorted.slice(0, this.#most);
  }
}

/** Comes last. */
const NO_MOMENT = -(2n ** 62n);

/** The newest row of each of these sessions, by `sessionKey`. @throws as `newestSessionRows` */
export async function rowsOfSessions(
  reading: { readonly archive: Archive; readonly signal?: AbortSignal | undefined },
  ids: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  const scope = { users: [], sessions: [...new Set(ids)] };
  const selection = await Selection.of(reading.archive, scope, { signal: reading.signal });
  return newestSessionRows(await SelectedRows.of(reading, selection));
}

/** The columns of `sessions` that the list has; the others are settings of which nobody here asks. */
const LISTED_COLUMNS = ['user_id', 'session_id', 'session_version', 'name', 'created_at'] as const;
const UNLISTED_COLUMNS = columnsBut(sessionsTable, LISTED_COLUMNS);

/**
 * `LISTED_COLUMNS` of the newest row of each session that is selected, by `sessionKey`.
 *
 * @throws {IntegrityError | FormatError} the archive is damaged
 */
export async function newestSessionRows(selected: SelectedRows): Promise<ReadonlyMap<string, Row>> {
  const newest = new Map<string, Row>();
  for await (const row of selected.rows(sessionsTable, UNLISTED_COLUMNS)) {
    const {
      user_id,
      session_id = null,
      session_version = null,
      name = null,
      created_at = null,
    } = row;
    const key = keyOf(String(user_id), String(session_id));
    const known = newest.get(key);
    if (known && Number(known['session_version']) > Number(session_version)) continue;
    // these alone: there may be a million
    newest.set(key, { session_id, session_version, name, created_at });
  }
  return newest;
}

type ListedJobs = Pick<SessionSummary['jobs'], 'total' | 'newest'>;

type ServiceState = Pick<SessionSummary, 'goneAt' | 'deleted'>;

type Marks = GapCounts & Pick<ListedSession, 'held'>;

interface Listed {
  readonly jobs: ListedJobs;
  readonly marks: Marks;
  readonly row: Row | undefined;
  readonly created: bigint | null;
  readonly copy: ArchiveIdentity['pseudonymised'];
}

function listedSession(
  user: string,
  { session, state: { goneAt, deleted } }: ViewedSession<ServiceState>,
  { jobs, marks, row, created, copy }: Listed,
): ListedSession {
  const { name } = row ?? {};
  const { after, before } = jobs.newest;
  const isOfDays = knowsDaysAlone(copy);
  const timeOf = (time: bigint | null) => (time === null ? null : knownTime(time, isOfDays));
  return {
    user_id: user,
    session_id: session,
    name: typeof name === 'string' ? name : null,
    created_at: timeOf(created),
    newest_job_after: timeOf(after),
    newest_job_before: timeOf(before),
    jobs: jobs.total,
    gone_at: knownAt(goneAt, copy),
    deleted,
    ...marks,
  };
}

/** Rows have well-formed ids. */
function keyOf(user: string, session: string): string {
  return sessionKey(rowId(user), rowId(session));
}
