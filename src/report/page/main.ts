/** Starts the page: the theme at once, the rest when its first view is there. */
import { visibleId } from '../../base/text/direction.js';
import type { PeopleData } from '../page-data.js';
import { acceptData, load } from './data.js';
import { count, known, make } from './elements.js';
import { listAddress, routeOf, searchAddress, type Route } from './addresses.js';
import { FilterFields } from './filters.js';
import { fillOverview } from './overview.js';
import { preparePaper } from './paper.js';
import { removeBands } from './bands.js';
import { closeOpen, prepareOpen, viewOf } from './views.js';
import { applyTheme, switchTheme } from './theme.js';

/** How long typing must pause before the search starts. */
const TYPING_MS = 200;
/** While somebody types, fewer characters would find too much. */
const LEAST_CHARACTERS = 2;

applyTheme();
acceptData();
document.addEventListener('DOMContentLoaded', () => void start().catch(tell));

/** Counts the views asked for: one that comes late is not shown over its successor. */
let asked = 0;

async function start(): Promise<void> {
  const title = document.title;
  known('theme').addEventListener('click', switchTheme);
  const { users, people } = await load<PeopleData>('people');
  const fields = new FilterFields(known('filters'), users);
  const everybody = users.length === 1 ? `User ${users[0]?.id ?? ''}` : count(people, 'user');
  const goNow = (isMove: boolean): void => {
    const route = routeOf(location.hash);
    if (!route) return;
    fields.show(route);
    known('subject').textContent = subjectOf(route) ?? everybody;
    void go(route, title, isMove);
  };
  listenToSearch(() => goNow(false));
  window.addEventListener('beforeprint', prepareOpen);
  window.addEventListener('afterprint', removeBands);
  window.addEventListener('hashchange', () => goNow(true));
  goNow(false);
  await preparePaper(users);
}

/** Searches while somebody types. The first letters add an entry to the browser's history; later ones replace it. */
function listenToSearch(goNow: () => void): void {
  const query = known('query') as HTMLInputElement;
  let waiting: number | undefined;
  const look = (): void => {
    clearTimeout(waiting);
    const route = routeOf(location.hash);
    const { value } = query;
    const filter = route?.filter ?? { user: null, from: null, to: null };
    const hash = value.trim() === '' ? listAddress(filter) : searchAddress(value, filter);
    if (hash === location.hash) return;
    if (route?.view === 'search') history.replaceState(null, '', hash);
    else history.pushState(null, '', hash);
    goNow();
  };
  query.addEventListener('input', () => {
    clearTimeout(waiting);
    const { length } = query.value.trim();
    if (length >= LEAST_CHARACTERS || length === 0) waiting = setTimeout(look, TYPING_MS);
  });
  known('search').addEventListener('submit', (event) => {
    event.preventDefault();
    look();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping =
      event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    query.focus();
  });
}

async function go(route: Route, title: string, isMove: boolean): Promise<void> {
  const turn = ++asked;
  const isWanted = (): boolean => turn === asked;
  const query = known('query') as HTMLInputElement;
  if (route.view === 'search' && document.activeElement !== query) query.value = route.query;
  if (route.view !== 'search' && document.activeElement !== query) query.value = '';
  const overview = known('overview');
  const view = known('view');
  try {
    if (route.view === 'overview') {
      await fillOverview(route.filter, isWanted);
      if (!isWanted()) return;
      closeOpen();
      view.replaceChildren();
      swap(overview, view);
      document.title = title;
      if (isMove) scrollTo(0, 0);
      return;
    }
    const show = (element: HTMLElement): void => {
      if (!isWanted()) return;
      view.replaceChildren(element);
      swap(view, overview);
      const heading = element.querySelector('h1');
      document.title = `${heading?.textContent ?? ''} · ${title}`;
      scrollTo(0, 0);
      // a reader who listens hears what has come
      if (isMove) heading?.focus({ preventScroll: true });
    };
    await viewOf(route, { show, isWanted });
  } catch (error) {
    tell(error);
  }
}

/** The user or session that the view shows. The footer names it, on paper too. */
function subjectOf(route: Route): string | null {
  if (route.view === 'session') {
    return `User ${visibleId(route.user)}, conversation ${visibleId(route.session)}`;
  }
  return route.filter.user === null ? null : `User ${visibleId(route.filter.user)}`;
}

function swap(shown: HTMLElement, hidden: HTMLElement): void {
  shown.hidden = false;
  hidden.hidden = true;
  // the first page has the title as its heading
  known('brand').hidden = shown.id === 'overview';
}

function tell(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  known('main').prepend(make('p', { class: 'lost', role: 'alert' }, text));
}
