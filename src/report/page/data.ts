/** Data files: scripts beside the page that hand over their data when they run. The latest stay in memory. */
import { visibleDirections, visibleId } from '../../base/text/direction.js';
import { whenText, type When, type DayPeriod } from '../when.js';

declare global {
  interface Window {
    jobvaultData: (key: string, data: unknown) => void;
  }
}

/** A search may read thousands: a page that keeps them all is too much for a browser. */
const KEPT = 300;

const arrived = new Map<string, unknown>();
const loading = new Map<string, Promise<unknown>>();
/** The one that was asked for last comes last. */
const kept = new Map<string, unknown>();

export function acceptData(): void {
  window.jobvaultData = (key, data) => void arrived.set(key, data);
}

/** @param key its path below `data/`, without `.js`: made of numbers and fixed words alone */
export function load<T>(key: string): Promise<T> {
  if (kept.has(key)) {
    keep(key, kept.get(key));
    return Promise.resolve(kept.get(key) as T);
  }
  const before = loading.get(key);
  if (before) return before as Promise<T>;
  const one = new Promise<unknown>((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `data/${key}.js`;
    script.onload = () => {
      script.remove();
      // one that is cut off does not run: nothing has arrived
      if (!arrived.has(key)) {
        reject(new Error(`data/${key}.js is damaged: make the report again`));
        return;
      }
      const data = arrived.get(key);
      arrived.delete(key);
      keep(key, data);
      resolve(data);
    };
    script.onerror = () => {
      script.remove();
      reject(new Error(`data/${key}.js is missing: is the data folder beside the page whole?`));
    };
    document.head.append(script);
  }).finally(() => loading.delete(key));
  loading.set(key, one);
  return one as Promise<T>;
}

function keep(key: string, data: unknown): void {
  kept.delete(key);
  kept.set(key, data);
  const [oldest] = kept.keys();
  if (kept.size > KEPT && oldest !== undefined) kept.delete(oldest);
}

/** Elements from data: text is text, never markup, and what would turn its direction is shown. */

export type Child = Node | string | null;
type Attributes = Readonly<Record<string, string | number | boolean | null>>;

/** @param attributes false and null leave one out, true gives it without a value */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) {
    if (child !== null)
      element.append(typeof child === 'string' ? visibleDirections(child) : child);
  }
  return element;
}

/** The element with this id, which stands in the page. */
export function known(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`;
}

/** When a job was asked, and why there may be no moment. */
export function timeElement(when: When): HTMLElement {
  const title =
    typeof when === 'number' || when === null
      ? null
      : 'The id of the job has no timestamp; its neighbours in the history bound it.';
  // a day breaks at no hyphen, however narrow the screen
  const words = whenText(when).split(' ');
  const whole = words.map((word) => make('span', { class: 'short' }, word));
  return make(
    'span',
    { class: 'time', title },
    ...whole.flatMap((word) => [word, ' ']).slice(0, -1),
  );
}

/** An id with what cannot be seen in it: on a narrow screen it breaks behind a point or the like, and elsewhere only where it must. */
export function idParts(id: string): (Node | string)[] {
  return visibleId(id)
    .split(/(?<=[.@_+-])(?=[^.@_+-])/)
    .flatMap((part, at) => (at === 0 ? part : [make('wbr'), part]));
}

/** Says it to those who listen to the page. */
export function speak(text: string): void {
  known('spoken').textContent = text;
}

/** Addresses within the page: every user, session, job and search has one that can be kept and sent, with its filter. */

/** What narrows lists and search alike. */
export interface Filter extends DayPeriod {
  readonly user: string | null;
}

export const NO_FILTER: Filter = { user: null, from: null, to: null };

export function hasPeriod({ from, to }: DayPeriod): boolean {
  return from !== null || to !== null;
}

type View =
  | { readonly view: 'overview' }
  | { readonly view: 'gaps' }
  | { readonly view: 'search'; readonly query: string }
  | { readonly view: 'user'; readonly user: string }
  | {
      readonly view: 'session';
      readonly user: string;
      readonly session: string;
      readonly job: string | null;
    };
/** The filter of a user's page has that user. */
export type Route = View & { readonly filter: Filter };

export function userAddress(user: string, { from, to }: DayPeriod = NO_FILTER): string {
  return `#/user/${encodeURIComponent(user)}${filterPart({ user: null, from, to })}`;
}

/** @param filter of the list from which it is gone to */
export function sessionAddress(user: string, session: string, filter = NO_FILTER): string {
  return `${userAddress(user)}/session/${encodeURIComponent(session)}${filterPart(filter)}`;
}

export function jobAddress(user: string, session: string, job: string, filter = NO_FILTER): string {
  return `${sessionAddress(user, session)}/job/${encodeURIComponent(job)}${filterPart(filter)}`;
}

export function searchAddress(query: string, filter = NO_FILTER): string {
  return `#/search/${encodeURIComponent(query)}${filterPart(filter)}`;
}

function gapsAddress(filter = NO_FILTER): string {
  return `#/gaps${filterPart(filter)}`;
}

/** Of the lists: those of a user, or of everybody. */
export function listAddress(filter: Filter): string {
  return filter.user === null ? `#/${filterPart(filter)}` : userAddress(filter.user, filter);
}

/** The same view with another filter. */
export function withFilter(route: Route, filter: Filter): string {
  if (route.view === 'search') return searchAddress(route.query, filter);
  return route.view === 'gaps' ? gapsAddress(filter) : listAddress(filter);
}

/** Null of a hash that is no address, such as the one of a place in the page. */
export function routeOf(hash: string): Route | null {
  if (!hash.startsWith('#/')) return hash === '' || hash === '#' ? routeOf('#/') : null;
  const [path = '', ...rest] = hash.slice(2).split('?');
  const filter = filterOf(rest.join('?'));
  const [kind = '', first = '', , second, , third] = path.split('/').map(decoded);
  if (kind === 'gaps') return { view: 'gaps', filter };
  if (kind === 'search') return { view: 'search', query: first, filter };
  if (kind === 'user' && second !== undefined) {
    return { view: 'session', user: first, session: second, job: third ?? null, filter };
  }
  const user = kind === 'user' ? first : filter.user;
  if (user === null) return { view: 'overview', filter };
  return { view: 'user', user, filter: { user, from: filter.from, to: filter.to } };
}

function filterPart({ user, from, to }: Filter): string {
  const parts = new URLSearchParams();
  if (user !== null) parts.set('user', user);
  if (from !== null) parts.set('from', from);
  if (to !== null) parts.set('to', to);
  return parts.size === 0 ? '' : `?${parts.toString()}`;
}

function filterOf(text: string): Filter {
  const parts = new URLSearchParams(text);
  return { user: parts.get('user'), from: dayOf(parts.get('from')), to: dayOf(parts.get('to')) };
}

function dayOf(text: string | null): string | null {
  const isDay = text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  return isDay ? text : null;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
