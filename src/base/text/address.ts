/**
 * Shows an address that a setting holds without its secrets, and finds them. By what the setting is, not by
 * what a parser of URLs makes of it: a `#` or `/` in a password moves the rest of it into path or fragment.
 */

/** One slash, or a backslash, is taken for two by parsers of URLs. */
const SCHEME = /^\s*[a-z][a-z0-9+.-]*:[\\/]+/i;
/** A host with its port; whatever else follows a colon may be a password. */
const HOST = /^(?:\[[^\]/\\]*\]|[^:/\\]*)(?::\d{0,5}(?=[/\\]|$)|(?=[/\\]|$))/;

const LONG_VALUE = 12;

interface AddressParts {
  readonly scheme: string;
  /** Everything up to the last `@`; undefined without one. */
  readonly credentials: string | undefined;
  readonly place: string;
  /** From the first `?` or `#` on. */
  readonly rest: string;
}

/** For people: `https://***@proxy:3128`. Cut off where it cannot be told from a password. */
export function shownAddress(address: string): string {
  const { scheme, credentials, place, rest } = partsOf(address);
  const shown = HOST.test(place) ? place : `${/^[^:/\\]*/.exec(place)?.[0] ?? ''}…`;
  return `${scheme}${credentials === undefined ? '' : '***@'}${shown}${rest === '' ? '' : '?…'}`;
}

/** What must not stand in any message: credentials, passwords, values of parameters, fragments. */
export function secretsInAddress(address: string): string[] {
  const { scheme, credentials = '', place, rest } = partsOf(address);
  const password = credentials.slice(credentials.indexOf(':') + 1);
  const misplaced = HOST.test(place) ? '' : place.slice(place.indexOf(':') + 1);
  const values = rest.split(/[?&#]/).flatMap(secretInParameter);
  // how a parser that ends the host at the first `#`, `?` or `/` cuts the password
  const pieces = /[#?/\\]/.test(password) ? password.split(/[#?/\\]/) : [];
  const found = [credentials, password, misplaced, ...values, ...pieces];
  const decoded = found.map((secret) => percentDecoded(secret) ?? secret);
  const secrets = new Set([...found, ...decoded]);
  return [...secrets].filter((secret) => secret !== '' && secret !== scheme);
}

/** A short value of another name is an ordinary word. */
function secretInParameter(parameter: string): string[] {
  const value = parameter.slice(parameter.indexOf('=') + 1);
  return value.length >= LONG_VALUE || /pass|pw|secret|token|key|auth/i.test(parameter)
    ? [value]
    : [];
}

function partsOf(address: string): AddressParts {
  const scheme = SCHEME.exec(address)?.[0] ?? '';
  const behind = address.slice(scheme.length);
  const at = behind.lastIndexOf('@');
  const after = behind.slice(at + 1);
  const mark = after.search(/[?#]/);
  return {
    scheme,
    credentials: at < 0 ? undefined : behind.slice(0, at),
    place: mark < 0 ? after : after.slice(0, mark),
    rest: mark < 0 ? '' : after.slice(mark),
  };
}

/** The text without its percent-encoding; undefined if that is invalid. */
export function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
