/** Which elements belong to an address. */
import type { GapLine, GapsData, PeopleData, SessionData, UserData } from '../page-data.js';
import {
  countedGaps,
  gapCountTexts,
  isDoubted,
  isLost,
  lostFilesIn,
} from '../../model/gap-counts.js';
import { visibleId } from '../../base/text/direction.js';
import { classifyWhen } from '../../model/times/when.js';
import { load } from './data.js';
import { count, known, make } from './elements.js';
import {
  hasPeriod,
  jobAddress,
  listAddress,
  NO_FILTER,
  sessionAddress,
  userAddress,
  type Filter,
  type Route,
} from './addresses.js';
import { downloadButton, conversationsTable, userLink } from './lists.js';
import { badges, completenessNote, holdNotes, standingOf } from './standing.js';
import { filterText, noneText } from './filters.js';
import { sessionsIn, type SessionInPeriod } from './job-times.js';
import { unknownNote } from './overview.js';
import { cutIntoBands } from './bands.js';
import { searchView } from './search-view.js';
import { sessionView, type SessionView } from './session-view.js';
import { sortableTable } from './sortable-table.js';

/** The session on show: another job of it needs no new one. */
let open: { readonly key: string; readonly view: SessionView } | undefined;

/** Something else is on show: asked for again, the conversation is shown again. */
export function closeOpen(): void {
  open = undefined;
}

/** The conversation that is on show, for paper; on the first page, those that are there for paper. */
export function prepareOpen(): void {
  open?.view.forPaper();
  cutIntoBands(open ? open.view.element : known('paper'));
}

export interface Showing {
  /** Called once the elements are there, before a job is brought into sight. */
  readonly show: (element: HTMLElement) => void;
  /** False as soon as something else is asked for. */
  readonly isWanted: () => boolean;
}

export async function viewOf(
  route: Exclude<Route, { readonly view: 'overview' }>,
  { show, isWanted }: Showing,
): Promise<void> {
  if (route.view !== 'session') closeOpen();
  switch (route.view) {
    case 'gaps':
      show(await gapsView(route.filter));
      return;
    case 'search':
      show(await searchView(route.query, route.filter, isWanted));
      return;
    case 'user':
      show(await userView(route.user, route.filter));
      return;
    case 'session': {
      const key = sessionAddress(route.user, route.session);
      if (open?.key !== key) {
        closeOpen();
        const line = await sessionLine(route.user, route.session);
        if (!line) {
          show(
            notHere(
              `There is no conversation ${visibleId(route.session)} of ${visibleId(route.user)} in this report.`,
            ),
          );
          return;
        }
        const view = await sessionView(line);
        if (!isWanted()) return;
        open = { key, view };
        const address = userAddress(route.user, route.filter);
        show(make('div', {}, crumbs(route.filter, [visibleId(route.user), address]), view.element));
      }
      const { view } = open;
      if (route.job !== null && !(await view.goTo(route.job))) {
        view.element.prepend(
          make('p', { class: 'lost' }, `There is no question ${visibleId(route.job)} here.`),
        );
      }
    }
  }
}

async function userOf(id: string): Promise<(UserData & { readonly isOnly: boolean }) | undefined> {
  const { users } = await load<PeopleData>('people');
  const user = users.find((candidate) => candidate.id === id);
  return user && { ...(await load<UserData>(`u/${user.number}`)), isOnly: users.length === 1 };
}

async function sessionLine(
  user: string,
  session: string,
): Promise<SessionData['number'] | undefined> {
  return (await userOf(user))?.sessions.find(({ id }) => id === session)?.number;
}

async function userView(id: string, filter: Filter): Promise<HTMLElement> {
  const user = await userOf(id);
  if (!user) return notHere(`There is no user ${visibleId(id)} in this report.`);
  const found = hasPeriod(filter) ? await periodOf(user, filter) : null;
  const lines = user.sessions.filter(({ number }) => !found || (found.get(number)?.jobs ?? 0) > 0);
  const jobs = lines.reduce((sum, line) => sum + (found?.get(line.number)?.jobs ?? line.jobs), 0);
  const period = filterText({ ...filter, user: null });
  const unknown = found === null ? '' : unknownNote([...found.values()]);
  return make(
    'div',
    {},
    crumbs(filter),
    make('h1', { tabindex: -1, dir: 'auto' }, visibleId(id)),
    make(
      'p',
      { class: 'note' },
      `${count(lines.length, 'conversation')}, ${count(jobs, 'question')} ${period}`,
      unknown === '' ? '' : `. ${unknown}`,
      ...badges(standingOf({ ...user, isHeld: user.holds.length > 0 })),
    ),
    holdNotes(user.holds),
    user.problem === null ? null : make('p', { class: 'lost' }, `${user.problem}.`),
    completenessNote(user.completeness, user.isOnly),
    make(
      'section',
      { class: 'card' },
      lines.length === 0
        ? make('p', {}, noneText('conversation', { ...filter, user: null }))
        : conversationsTable({ lines, filter, found, hasUsers: false }),
    ),
  );
}

async function periodOf(
  { sessions }: UserData,
  filter: Filter,
): Promise<ReadonlyMap<number, SessionInPeriod>> {
  const userSessions = new Set(sessions.map(({ number }) => number));
  const found = await sessionsIn(filter);
  return new Map(
    found.flatMap((inPeriod) =>
      userSessions.has(inPeriod.session) ? [[inPeriod.session, inPeriod]] : [],
    ),
  );
}

async function gapsView(filter: Filter): Promise<HTMLElement> {
  const { total, isProven, gaps } = await load<GapsData>('gaps');
  // a gap of which nobody can tell the day is a gap of every day
  const shown = gaps.filter(
    ({ user, when }) =>
      (filter.user === null || user === filter.user) && classifyWhen(when, filter) !== 'outside',
  );
  // what is withheld or erased is no gap
  const standing = `${known('standing').textContent}.`;
  const some =
    gaps.length < total
      ? `The first ${gaps.length} of ${total.toLocaleString('en-US')}: jobvault status counts them all. `
      : '';
  const note =
    total === 0
      ? isProven
        ? 'No gap is known: every conversation was read to its end, every file is here.'
        : `No gap is known. ${standing}`
      : [standing, `${some}${gapsNote(shown)}`].join(' ');
  return make(
    'div',
    {},
    crumbs(filter),
    make('h1', { tabindex: -1 }, `${gapsHeading(shown)} ${filterText(filter)}`),
    make('p', { class: 'note' }, note),
    shown.length === 0 ? null : make('section', { class: 'card' }, ...gapsTable(shown, filter)),
  );
}

/** A job of unknown date that a search left out is in the archive, and not on this page. */
function isLeftOut({ status }: GapLine): boolean {
  return status === 'undated';
}

function gapsHeading(gaps: readonly GapLine[]): string {
  const leftOut = gaps.filter(isLeftOut).length;
  const others = gaps.filter((gap) => !isLeftOut(gap));
  const texts = [
    ...gapCountTexts({
      ...countedGaps(others, ({ isAccepted }) => isAccepted),
      lost_files: lostFilesIn(others),
    }),
    ...(leftOut === 0 ? [] : [`${count(leftOut, 'question')} left out`]),
  ];
  return texts.length === 0 ? count(0, 'gap') : texts.join(', ');
}

function gapsNote(gaps: readonly GapLine[]): string {
  const leftOut = gaps.filter(isLeftOut).length;
  const lost = gaps.filter(isLost).length;
  const doubted = gaps.filter(isDoubted).length;
  const missing = gaps.length - leftOut - lost - doubted;
  return [
    ...(missing > 0 || gaps.length === 0 ? ['A gap is what the archive could not get.'] : []),
    ...(doubted > 0 ? ['A doubt is about what is archived: it may be wrong.'] : []),
    ...(lost > 0
      ? ['Lost is what was archived, and is missing or damaged in the archive now.']
      : []),
    ...(leftOut > 0
      ? [
          'Left out is what the archive has, and of which no dated question beside it tells whether it was asked within the period.',
        ]
      : []),
  ].join(' ');
}

function gapsTable(gaps: readonly GapLine[], filter: Filter): HTMLElement[] {
  const table = sortableTable({
    label: 'Gaps',
    columns: [
      {
        name: 'User',
        isName: true,
        key: ({ user }) => user,
        content: ({ user }) => userLink(user, filter),
      },
      {
        name: 'Conversation',
        isName: true,
        key: ({ session, sessionName }) => sessionName ?? session,
        content: (gap) => (gap.session === '' ? 'all of them' : gapLink(gap, filter)),
      },
      {
        name: 'What',
        key: ({ kind, session }) => kind ?? (session === '' ? 'User' : 'Conversation'),
      },
      { name: 'Status', key: ({ status }) => status },
      { name: 'Reason', key: ({ reason }) => reason, content: ({ reason }) => wholeFlags(reason) },
      {
        name: 'What it means',
        key: ({ meaning }) => meaning,
        content: ({ meaning }) => wholeFlags(meaning),
      },
    ],
    items: gaps,
    shown: 200,
    isStacked: true,
  });
  const columns = ['user_id', 'session_id', 'session_name', 'job_id', 'what', 'status', 'reason'];
  const button = downloadButton('gaps', [...columns, 'meaning'], () =>
    gaps.map(({ user, session, sessionName, job, kind, status, reason, meaning }) => [
      user,
      session,
      sessionName,
      job,
      kind,
      status,
      reason,
      meaning,
    ]),
  );
  return [table, button];
}

/** A flag is not broken behind its hyphens. */
function wholeFlags(text: string): HTMLElement {
  const parts = text.split(/(--[a-z-]+)/);
  const spans = parts.map((part, at) =>
    at % 2 === 1 ? make('span', { class: 'flag' }, part) : part,
  );
  return make('span', { class: 'breakable' }, ...spans);
}

function gapLink(gap: GapLine, filter: Filter): HTMLElement {
  const { user, session, sessionName, job } = gap;
  const address =
    job === null ? sessionAddress(user, session, filter) : jobAddress(user, session, job, filter);
  const name = sessionName === null || sessionName === '' ? visibleId(session) : sessionName;
  if (isLeftOut(gap)) return make('span', { dir: 'auto' }, name);
  return make('a', { href: address, dir: 'auto' }, name);
}

function crumbs(filter: Filter, ...further: readonly (readonly [string, string])[]): HTMLElement {
  const overview = listAddress({ ...filter, user: null });
  const links = [['Overview', overview] as const, ...further].map(([text, address]) =>
    make('li', {}, make('a', { href: address, dir: 'auto' }, text)),
  );
  return make('nav', { class: 'crumbs', 'aria-label': 'You are here' }, make('ol', {}, ...links));
}

function notHere(text: string): HTMLElement {
  return make(
    'div',
    {},
    crumbs(NO_FILTER),
    make('h1', { tabindex: -1 }, 'Not here'),
    make('p', {}, text),
  );
}
