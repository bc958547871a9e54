/** Which elements belong to an address. */
import type { GapsData, PeopleData, SessionData, UserData } from '../page-data.js';
import { load } from './data.js';
import { count, make } from './dom.js';
import { sessionsTable, usersTable } from './lists.js';
import { jobAddress, sessionAddress, userAddress, type Route } from './routes.js';
import { searchView } from './search-view.js';
import { sessionView, type SessionView } from './session-view.js';
import { sortableTable } from './sortable-table.js';

/** The session on show: another job of it needs no new one. */
let open: { readonly key: string; readonly view: SessionView } | undefined;

/** The users' list stands on the first page, below the pictures. */
export async function fillPeople(holder: HTMLElement): Promise<void> {
  const { users } = await load<PeopleData>('people');
  holder.append(usersTable(users));
}

/** @param show called once the elements are there, before a job is brought into sight */
export async function viewOf(
  route: Exclude<Route, { readonly view: 'overview' }>,
  show: (element: HTMLElement) => void,
): Promise<void> {
  if (route.view !== 'session') open = undefined;
  switch (route.view) {
    case 'gaps':
      show(await gapsView());
      return;
    case 'search':
      show(await searchView(route.query));
      return;
    case 'user':
      show(await userView(route.user));
      return;
    case 'session': {
      const key = sessionAddress(route.user, route.session);
      if (open?.key !== key) {
        const line = await sessionLine(route.user, route.session);
        if (!line) {
          show(notHere(`There is no session ${route.session} of ${route.user} in this report.`));
          return;
        }
        const view = await sessionView(line);
        open = { key, view };
        show(make('div', {}, crumbs([route.user, userAddress(route.user)]), view.element));
      }
      if (route.job !== null && !(await open.view.goTo(route.job))) {
        open.view.element.prepend(
          make('p', { class: 'lost' }, `There is no job ${route.job} here.`),
        );
      }
    }
  }
}

async function userOf(id: string): Promise<UserData | undefined> {
  const { users } = await load<PeopleData>('people');
  const user = users.find((one) => one.id === id);
  return user && (await load<UserData>(`u/${user.number}`));
}

async function sessionLine(
  user: string,
  session: string,
): Promise<SessionData['number'] | undefined> {
  return (await userOf(user))?.sessions.find(({ id }) => id === session)?.number;
}

async function userView(id: string): Promise<HTMLElement> {
  const user = await userOf(id);
  if (!user) return notHere(`There is no user ${id} in this report.`);
  const jobs = user.sessions.reduce((sum, session) => sum + session.jobs, 0);
  return make(
    'div',
    {},
    crumbs(),
    make('h1', { tabindex: -1 }, id),
    make(
      'p',
      { class: 'note' },
      `${count(user.sessions.length, 'session')}, ${count(jobs, 'job')}`,
    ),
    user.problem === null ? null : make('p', { class: 'lost' }, `${user.problem}.`),
    make('section', { class: 'card' }, sessionsTable(id, user.sessions)),
  );
}

async function gapsView(): Promise<HTMLElement> {
  const { total, gaps } = await load<GapsData>('gaps');
  const note =
    gaps.length < total
      ? `The first ${gaps.length} of ${count(total, 'gap')}; jobvault status counts them all.`
      : 'What the archive could not get. The next run tries again.';
  const table = sortableTable({
    label: 'Gaps',
    columns: ['Where', 'What', 'Status', 'Reason'].map((name) => ({ name })),
    rows: gaps.map(({ user, session, job, kind, status, reason }) => {
      const address =
        session === ''
          ? userAddress(user)
          : job === null
            ? sessionAddress(user, session)
            : jobAddress(user, session, job);
      const place = make('a', { href: address }, job ?? (session === '' ? user : session));
      return [place, kind ?? 'Session', status, reason].map((content) => ({ content }));
    }),
  });
  return make(
    'div',
    {},
    crumbs(),
    make('h1', { tabindex: -1 }, 'Gaps'),
    make('p', { class: 'note' }, note),
    make('section', { class: 'card' }, table),
  );
}

function crumbs(...further: readonly (readonly [string, string])[]): HTMLElement {
  const links = [['Overview', '#/'] as const, ...further].map(([text, address]) =>
    make('li', {}, make('a', { href: address }, text)),
  );
  return make('nav', { class: 'crumbs', 'aria-label': 'You are here' }, make('ol', {}, ...links));
}

function notHere(text: string): HTMLElement {
  return make('div', {}, crumbs(), make('h1', { tabindex: -1 }, 'Not here'), make('p', {}, text));
}
