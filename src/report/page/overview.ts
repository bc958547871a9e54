/** The lists of the first page: who there is, and the latest conversations. */
import {
  SESSIONS_PER_DIRECTORY,
  type LatestData,
  type PeopleData,
  type SessionDirectory,
  type SessionLine,
} from '../page-data.js';
import { newerFirst } from '../../model/times/when.js';
import { load } from './data.js';
import { count, known, make } from './elements.js';
import { hasPeriod, type Filter } from './addresses.js';
import { filterText, noneText } from './filters.js';
import { sessionsIn, type SessionInPeriod } from './job-times.js';
import { conversationsTable, usersTable, type UserRow } from './lists.js';

/** The sessions that a period finds at most; each may be in a directory of its own. */
const MOST_SESSIONS = 1000;

/** @param isWanted false as soon as something else is asked for */
export async function fillOverview(filter: Filter, isWanted: () => boolean): Promise<void> {
  const found = hasPeriod(filter) ? await sessionsIn(filter) : null;
  const users = await userRows(found);
  const { lines, note } = await conversations(found);
  if (!isWanted()) return;
  // numbers and pictures are of the whole report
  for (const whole of document.querySelectorAll<HTMLElement>('.whole'))
    whole.hidden = found !== null;
  known('people').replaceChildren(
    make('h2', {}, 'Users'),
    users.length === 0 ? make('p', {}, noneText('user', filter)) : usersTable(users, filter),
  );
  const byNumber = found && new Map(found.map((inPeriod) => [inPeriod.session, inPeriod]));
  known('latest').replaceChildren(
    make('h2', {}, found ? `Conversations ${filterText(filter)}` : 'Latest conversations'),
    note === '' ? '' : make('p', { class: 'note' }, note),
    lines.length === 0
      ? make('p', {}, noneText('conversation', filter))
      : conversationsTable({ lines, filter, found: byNumber, hasUsers: true }),
  );
}

/** How many jobs may or may not be in the period; empty where none are in doubt. */
export function unknownNote(found: readonly SessionInPeriod[]): string {
  const jobs = found.reduce((sum, { unknown }) => sum + unknown, 0);
  if (jobs === 0) return '';
  const alone = found.filter((inPeriod) => inPeriod.jobs === 0).length;
  const hidden =
    alone === 0 ? '' : `; ${count(alone, 'conversation')} with no other question cannot be listed`;
  return `Not counted: ${count(jobs, 'question')} without a timestamp, of which nobody can tell whether these dates apply${hidden}.`;
}

async function userRows(found: readonly SessionInPeriod[] | null): Promise<UserRow[]> {
  const { users } = await load<PeopleData>('people');
  if (!found) {
    return users
      .map((user) => ({ user, sessions: user.sessions, jobs: user.jobs, newest: user.newest }))
      .sort((a, b) => newerFirst(a.newest, b.newest));
  }
  const rows = new Map<number, UserRow>();
  const byNumber = new Map(users.map((user) => [user.number, user]));
  // the newest come first
  for (const { user: number, jobs, newest } of found) {
    const user = byNumber.get(number);
    if (!user || jobs === 0) continue;
    const row = rows.get(number) ?? { user, sessions: 0, jobs: 0, newest };
    rows.set(number, { ...row, sessions: row.sessions + 1, jobs: row.jobs + jobs });
  }
  return [...rows.values()];
}

async function conversations(
  found: readonly SessionInPeriod[] | null,
): Promise<{ readonly lines: readonly SessionLine[]; readonly note: string }> {
  if (!found) {
    const { sessions: lines, total } = await load<LatestData>('latest');
    const others = 'choose a user or dates to see the others';
    return {
      lines,
      note:
        lines.length < total
          ? `The latest ${lines.length} of ${total.toLocaleString('en-US')}: ${others}.`
          : '',
    };
  }
  const certain = found.filter(({ jobs }) => jobs > 0);
  const lines = await linesOf(certain.slice(0, MOST_SESSIONS));
  const cut =
    certain.length > MOST_SESSIONS
      ? `The latest ${MOST_SESSIONS} of ${certain.length.toLocaleString('en-US')}: choose a user or fewer days to see the others. `
      : '';
  return { lines, note: cut + unknownNote(found) };
}

async function linesOf(sessions: readonly SessionInPeriod[]): Promise<SessionLine[]> {
  const lines = await Promise.all(
    sessions.map(async ({ session }) => {
      const piece = Math.floor((session - 1) / SESSIONS_PER_DIRECTORY);
      const { sessions: some } = await load<SessionDirectory>(`l/${piece}`);
      return some.find(({ number }) => number === session);
    }),
  );
  return lines.filter((line) => line !== undefined);
}
