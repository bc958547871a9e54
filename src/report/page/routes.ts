/** Addresses within the page: every user, session, job and search has one that can be kept and sent. */

export type Route =
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

export function userAddress(user: string): string {
  return `#/user/${encodeURIComponent(user)}`;
}

export function sessionAddress(user: string, session: string): string {
  return `${userAddress(user)}/session/${encodeURIComponent(session)}`;
}

export function jobAddress(user: string, session: string, job: string): string {
  return `${sessionAddress(user, session)}/job/${encodeURIComponent(job)}`;
}

export function searchAddress(query: string): string {
  return `#/search/${encodeURIComponent(query)}`;
}

/** Null of a hash that is no address, such as the one of a place in the page. */
export function routeOf(hash: string): Route | null {
  if (hash === '' || hash === '#' || hash === '#/') return { view: 'overview' };
  if (!hash.startsWith('#/')) return null;
  const [kind = '', first = '', , second, , third] = hash.slice(2).split('/').map(decoded);
  if (kind === 'gaps') return { view: 'gaps' };
  if (kind === 'search') return { view: 'search', query: first };
  if (kind !== 'user') return { view: 'overview' };
  if (second === undefined) return { view: 'user', user: first };
  return { view: 'session', user: first, session: second, job: third ?? null };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
