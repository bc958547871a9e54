/**
 * Tells an answer that a cache gave from its memory, by the answer's own headers: it may be older than the request,
 * so it proves nothing. The whole list of what says so is here.
 */

/** By lower-case name; repeated headers are joined with commas; null without such a header. */
type HeaderOf = (name: string) => string | null;

interface Evidence {
  /** As it is named in messages. */
  readonly header: string;
  /** The part of the value that says that the answer is old; undefined if none does. */
  readonly in: (elements: readonly string[]) => string | undefined;
}

/** The words of `X-Cache` and the like for an answer from memory, or from memory and known to be out of date. */
const FROM_MEMORY: ReadonlySet<string> = new Set([
  'hit',
  'stale',
  // Cloudflare: out of date, and asked for again behind the answer
  'updating',
  // Azure and Akamai: of this cache, of its memory, of one behind it
  'tcp_hit',
  'tcp_mem_hit',
  'tcp_remote_hit',
]);

/** RFC 7234, section 5.5: the response is stale; its revalidation failed. */
const STALE_WARNING = /^11[01](?!\d)/;

const EVIDENCE: readonly Evidence[] = [
  // a value that is no number is not 0 either
  { header: 'Age', in: (ages) => ages.find((age) => !(Number(age) === 0)) },
  { header: 'Warning', in: (warnings) => warnings.find((warning) => STALE_WARNING.test(warning)) },
  // the last cache is the one that answered us; `RefreshHit` was compared with the origin, and is fresh
  { header: 'X-Cache', in: lastFromMemory },
  { header: 'CF-Cache-Status', in: lastFromMemory },
  // RFC 9211: each cache on the way tells of itself
  { header: 'Cache-Status', in: (caches) => caches.find(isHit) },
];

/** Characters that are quoted from a header. */
const LONGEST_QUOTE = 60;

/** The header that says that the answer is old, as in `Age: 12`; undefined if nothing says so. Redacted before it is cut. */
export function staleBecause(
  header: HeaderOf,
  redact: (text: string) => string,
): string | undefined {
  for (const evidence of EVIDENCE) {
    const found = evidence.in(elementsOf(header(evidence.header.toLowerCase()) ?? ''));
    if (found !== undefined) return `${evidence.header}: ${quoted(redact(found))}`;
  }
  return undefined;
}

function lastFromMemory(caches: readonly string[]): string | undefined {
  const last = caches.at(-1);
  const [first = '', second, ...more] = last?.split(/[\s;]+/) ?? [];
  // Wikimedia: `cp12 hit/7`, the cache's name and how often it has given it
  const words = more.length === 0 && second !== undefined ? [first, second] : [first];
  const isOld = words.some((word) =>
    FROM_MEMORY.has(
      unquoted(word)
        .replace(/\/\d+$/, '')
        .toLowerCase(),
    ),
  );
  return isOld ? last : undefined;
}

/** `name; hit; ttl=30`. With `fwd-status=304` the origin has just said that it is still so. */
function isHit(cache: string): boolean {
  const [, ...parameters] = partsOf(cache, ';').map((parameter) => parameter.toLowerCase());
  const isRevalidated = parameters.some((parameter) =>
    /^fwd-status\s*=\s*"?304"?$/.test(parameter),
  );
  return (
    !isRevalidated && parameters.some((parameter) => /^hit(\s*=(?!\s*\?0).*)?$/.test(parameter))
  );
}

function elementsOf(value: string): string[] {
  return partsOf(value, ',').filter((element) => element !== '');
}

/** Splits outside of quotation marks: a warning's text may hold commas. */
function partsOf(value: string, separator: ',' | ';'): string[] {
  const parts = [''];
  let isQuoted = false;
  for (let at = 0; at < value.length; at++) {
    const character = value.charAt(at);
    if (character === '"') isQuoted = !isQuoted;
    const isEscape = isQuoted && character === '\\';
    const taken = isEscape ? value.slice(at, ++at + 1) : character;
    if (taken === separator && !isQuoted) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${taken}`);
  }
  return parts.map((part) => part.trim());
}

function unquoted(word: string): string {
  return word.replaceAll('"', '');
}

/** Printable, and bounded: a header may hold anything. */
function quoted(text: string): string {
  const printable = text.replaceAll(/[^\x20-\x7e]/g, '?');
  return printable.length > LONGEST_QUOTE ? `${printable.slice(0, LONGEST_QUOTE)}…` : printable;
}
