/** What the log says of the users of a workbook, before any row is read. */
import type { RequestRecord } from '../archive/log/request-history.js';
import type { Making } from '../making/making.js';
import type { MissingCounts } from '../model/gap-counts.js';
import { partText } from '../base/text/counted.js';
import { rowId, sessionKey, type UserId } from '../model/ids.js';

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
  readonly missing: MissingCounts;
}

export interface SurveyedPeople {
  readonly making: Making;
  /** By their ids. */
  readonly users: readonly OneUser[];
  /** How many people have conversations here, as `Spellings` counts them. */
  readonly people: number;
  /** Whether it is of one user, who was named. */
  readonly isOfOne: boolean;
  /** Whether it has only some of the users' sessions or jobs. */
  readonly isPart: boolean;
  readonly sessions: number;
  /** Each once, whatever its versions. */
  readonly jobs: number;
  readonly unsettled: UnsettledJobs;
  /** By `sessionKey`: how much is here of a conversation of which some is withheld, `3 of 4 (1 withheld)`. */
  readonly parts: ReadonlyMap<string, string>;
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

/** Adds everybody to what qualifies the workbook. @throws {IntegrityError} the log is damaged */
export async function surveyPeople(making: Making): Promise<SurveyedPeople> {
  const { found, selection } = making;
  const { scope, decisions } = selection;
  const people: OneUser[] = [];
  const unsettled = new UnsettledJobs();
  const parts = new Map<string, string>();
  for await (const { viewed, unsettled: open } of making.users()) {
    const { user, sessions, gapCounts, lostFiles } = viewed;
    const jobs = found ? null : sessions.reduce((sum, { state }) => sum + state.jobs.total, 0);
    const missing = { ...gapCounts, lost_files: lostFiles };
    people.push({ user, sessions: sessions.length, jobs, missing });
    for (const { session, withheld: counts } of sessions) {
      if (!counts || counts.withheld === 0) continue;
      parts.set(sessionKey(rowId(user), rowId(session)), partText(counts.shown, counts));
    }
    for (const [session, jobs] of open) {
      for (const job of jobs) unsettled.add(user, session, job);
    }
  }
  people.sort((a, b) => (a.user < b.user ? -1 : 1));
  const total = (count: (user: OneUser) => number): number =>
    people.reduce((sum, user) => sum + count(user), 0);
  return {
    making,
    users: people,
    people: selection.spellings.peopleIn(people),
    isOfOne: scope.users.length + scope.sessions.length > 0 && people.length === 1,
    isPart: found !== undefined || scope.sessions.length > 0 || !decisions.isEmpty,
    sessions: total(({ sessions }) => sessions),
    jobs: found ? found.facts.matches - found.facts.withheld : total(({ jobs }) => jobs ?? 0),
    unsettled,
    parts,
  };
}
