/** What the log says of the users of a workbook, before any row is read. */
import type { Archive } from '../archive/archive.js';
import type { CommitRef } from '../archive/log/commit-log.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import { Decisions } from '../archive/reading/decisions.js';
import { ArchiveView } from '../archive/reading/archive-view.js';
import { viewWithRows } from '../archive/reading/view-rows.js';
import { Reading } from '../archive/reading/caveats/reading.js';
import type { Scope } from '../archive/reading/scope.js';
import type { SelectedRows } from '../archive/reading/selected-rows.js';
import type { GapCounts } from '../model/gap-counts.js';
import { rowId, type UserId } from '../model/ids.js';
import type { FoundJobs } from '../search/search-archive.js';
import type { SearchFacts } from '../search/search-facts.js';
import { searchedOf } from '../search/unread-tables.js';

/** The request for which a workbook is made. */
export type WorkbookRequest = Pick<
  RequestRecord,
  'id' | 'name' | 'reason' | 'by' | 'since' | 'decisions'
>;

/** What is here of one user. */
interface OneUser {
  readonly user: UserId;
  readonly sessions: number;
  /** Null where a search has chosen them: it counts those of all users together. */
  readonly jobs: number | null;
  readonly gapCounts: GapCounts;
}

export interface SurveyedPeople {
  /** By their ids. */
  readonly users: readonly OneUser[];
  /** How many people have conversations here, as `Spellings` counts them. */
  readonly people: number;
  /** Whether it is of one user, who was named. */
  readonly isOfOne: boolean;
  /** Whether it has only some of the users' sessions or jobs. */
  readonly isPart: boolean;
  /** The rows of the sessions and jobs that are here. */
  readonly rows: SelectedRows;
  readonly sessions: number;
  /** Each once, whatever its versions. */
  readonly jobs: number;
  readonly unsettled: UnsettledJobs;
  /** What the search has found that chose the jobs; null where all of them are here. */
  readonly search: SearchFacts | null;
  /** What qualifies the workbook. */
  readonly reading: Reading;
  /** The newest commit; null of an empty log. */
  readonly head: CommitRef | null;
}

/** Jobs that are here and whose answers may still change: new, or of unknown age, when they were read last. */
export class UnsettledJobs {
  readonly #keys = new Set<string>();

  add(user: string, session: string, job: string): void {
    this.#keys.add(JSON.stringify([user, session, job].map(rowId)));
  }

  has(user: string, session: string, job: string): boolean {
    return this.#keys.has(JSON.stringify([user, session, job].map(rowId)));
  }
}

/**
 * @param scope its users: none: all of the archive; of its period are the doubts
 * @param options.found only these jobs
 * @param options.request for which the workbook is made
 * @param options.allowLostFiles files that the storage has lost are gaps; default: whoever reads one fails
 * @throws {UsageError} the archive has no such user
 */
export async function surveyPeople(
  archive: Archive,
  scope: Scope,
  {
    found,
    request,
    allowLostFiles,
    signal,
  }: {
    readonly found?: FoundJobs | undefined;
    readonly request?: WorkbookRequest | undefined;
    readonly allowLostFiles?: boolean | undefined;
    readonly signal?: AbortSignal | undefined;
  } = {},
): Promise<SurveyedPeople> {
  const whole = await ArchiveView.of(archive, scope, {
    chosen: found,
    decisions: Decisions.of(request),
    signal,
  });
  const { view, rows } = await viewWithRows(whole, allowLostFiles);
  const people: OneUser[] = [];
  const reading = Reading.of(view, searchedOf(found, view.selection.users), request);
  const unsettled = new UnsettledJobs();
  for await (const summary of view.summaries()) {
    const { user, sessions, gapCounts } = summary;
    const jobs = found ? null : sessions.reduce((sum, { state }) => sum + state.jobs.total, 0);
    people.push({ user, sessions: sessions.length, jobs, gapCounts });
    const open = await view.unsettledJobs(summary);
    reading.add(summary);
    for (const [session, jobs] of open) {
      for (const job of jobs) unsettled.add(user, session, job);
    }
  }
  people.sort((a, b) => (a.user < b.user ? -1 : 1));
  const total = (count: (user: OneUser) => number): number =>
    people.reduce((sum, user) => sum + count(user), 0);
  return {
    users: people,
    people: view.selection.spellings.peopleIn(people),
    isOfOne: scope.users.length + scope.sessions.length > 0 && people.length === 1,
    isPart: found !== undefined || scope.sessions.length > 0 || !Decisions.of(request).isEmpty,
    rows,
    sessions: total(({ sessions }) => sessions),
    jobs: found?.facts.matches ?? total(({ jobs }) => jobs ?? 0),
    unsettled,
    search: found?.facts ?? null,
    reading,
    head: view.head,
  };
}
