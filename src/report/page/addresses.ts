/** Addresses within the page: every user, session, job and search has one that can be kept and sent, with its filter. */
import { type DayPeriod } from '../../model/times/when.js';

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

/** The address of the lists: those of a user, or of everybody. */
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
