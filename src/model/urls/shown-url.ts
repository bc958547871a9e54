/** What is shown and archived of a URL that leads to a file: origin, path and the names of its parameters. */

const MASK = '***';
/** User and password, as URLs are parsed: up to the last `@` before the path. */
const CREDENTIALS = /^(\s*[a-z][a-z0-9+.-]*:\/\/)[^/?#\\]*@/i;
/** A `;name=value` as it stands in a segment of a path. */
const PATH_VALUE = /(;[^=;/]*=)[^;/]*/g;

/** Origin and path alone, without the values of its path's parameters, also of a bare storage key; of a `data:` URL its type. */
export function shownFileUrl(url: string): string {
  // the file itself is not shown
  if (/^\s*data:/i.test(url)) return `${/^[^,]{0,200}/.exec(url.trim())?.[0] ?? ''},…`;
  return shownAddress(url.replace(/[?#][\s\S]*/, ''));
}

/** The name at the end of a URL's path, or of a storage key's; null where it ends without one. */
export function nameInPath(url: string | null): string | null {
  if (url === null || /^\s*data:/i.test(url)) return null;
  const path = shownFileUrl(url.trim()).replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '');
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/;.*$/s, '');
  try {
    return decodeURIComponent(name) || null;
  } catch {
    return name || null; // an escape that is none is part of the name
  }
}

/** What is recognised of each URL in texts. */
export function addressesOf(urls: Iterable<string | null>): ReadonlySet<string> {
  const addresses = new Set<string>();
  for (const url of urls)
    if (url !== null && /^\s*https?:\/\//i.test(url)) addresses.add(addressKey(url));
  return addresses;
}

/** A URL, and nothing else, without the values of its parameters. */
export function withoutValues(url: string): string {
  const mark = url.search(/[?#]/);
  if (mark < 0) return shownAddress(url);
  return shownAddress(url.slice(0, mark)) + namesOf(url.slice(mark));
}

/** By which a URL is known among those of `addressesOf`. */
export function addressKey(url: string): string {
  return shownFileUrl(url.trim());
}

function shownAddress(address: string): string {
  return address.replace(CREDENTIALS, '$1').replace(PATH_VALUE, `$1${MASK}`);
}

/** @param rest from the first `?` or `#` on */
function namesOf(rest: string): string {
  const hash = rest.indexOf('#');
  const parts = hash < 0 ? [rest] : [rest.slice(0, hash), rest.slice(hash)];
  return parts
    .filter((part) => part !== '')
    .map((part) => part.charAt(0) + part.slice(1).split('&').map(nameOf).join('&'))
    .join('');
}

function nameOf(parameter: string): string {
  const equals = parameter.indexOf('=');
  if (equals >= 0) return `${parameter.slice(0, equals)}=${MASK}`;
  return parameter === '' ? '' : MASK;
}
