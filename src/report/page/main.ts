/** Starts the page: the theme at once, the rest when its first view is there. */
import { acceptData } from './data.js';
import { known, make } from './dom.js';
import { routeOf, searchAddress } from './routes.js';
import { applyTheme, switchTheme } from './theme.js';
import { fillPeople, viewOf } from './views.js';

applyTheme();
acceptData();
document.addEventListener('DOMContentLoaded', start);

/** Counts the views asked for: one that comes late is not shown over its successor. */
let asked = 0;

function start(): void {
  const title = document.title;
  const query = known('query') as HTMLInputElement;
  known('theme').addEventListener('click', switchTheme);
  known('search').addEventListener('submit', (event) => {
    event.preventDefault();
    location.hash = searchAddress(query.value);
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    query.focus();
  });
  void fillPeople(known('people')).catch(tell);
  window.addEventListener('hashchange', () => void go(title, true));
  void go(title, false);
}

async function go(title: string, isMove: boolean): Promise<void> {
  const route = routeOf(location.hash);
  if (!route) return;
  const turn = ++asked;
  const query = known('query') as HTMLInputElement;
  if (route.view === 'search') query.value = route.query;
  const overview = known('overview');
  const view = known('view');
  if (route.view === 'overview') {
    view.replaceChildren();
    swap(overview, view);
    document.title = title;
    if (isMove) scrollTo(0, 0);
    return;
  }
  try {
    await viewOf(route, (element) => {
      if (turn !== asked) return;
      view.replaceChildren(element);
      swap(view, overview);
      const heading = element.querySelector('h1');
      document.title = `${heading?.textContent ?? ''} · ${title}`;
      scrollTo(0, 0);
      // a reader who listens hears what has come
      if (isMove) heading?.focus({ preventScroll: true });
    });
  } catch (error) {
    tell(error);
  }
}

function swap(shown: HTMLElement, hidden: HTMLElement): void {
  shown.hidden = false;
  hidden.hidden = true;
}

function tell(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  known('main').prepend(make('p', { class: 'lost', role: 'alert' }, text));
}
