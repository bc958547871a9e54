/** A job's record as it is served: the archived one, in which the URLs of its files are presigned ones of this server. */
import { sha256Hex } from '../base/digest.js';
import { parseJson } from '../base/text/parse-json.js';
import type { PageSigner } from '../emulator/files/url-signer.js';
import { fileReferences, placeKey, type FileReference } from '../flatten/file-references.js';
import { isWebUrl } from '../model/file-url.js';
import { maskedStrings } from '../model/mask-secrets.js';
import type { JobRecord, Verbatim } from '../model/records.js';
import { shownFileUrl } from '../model/shown-url.js';
import { parseTimestamp } from '../model/created-at.js';
import type { ArchivedRecord } from './archived-sessions.js';

/** After the mark in a key whose file is not archived. */
const NOT_ARCHIVED = 'not-archived';
const EXPIRY_BEFORE = /"expires_at"\s*:\s*$/;

export function verbatimJob(text: string): Verbatim<JobRecord> {
  return { value: parseJson(text) as JobRecord, text };
}

/** The key of a file in the URLs of this server: two URLs of the archive become one only if both lead to the same file. */
function servedKey(url: string, path: string = NOT_ARCHIVED): string {
  // what a client expects of a file depends on its name
  const name = /([\w.-]*)\/?$/.exec(shownFileUrl(url.trim()))?.[1] ?? '';
  return `${markOf(url)}/${path}/${name === '' ? 'file' : name}`;
}

/** Stands for a URL without its query. */
export function markOf(url: string): string {
  return sha256Hex(shownFileUrl(url.trim())).slice(0, 16);
}

/** The path in a key of `servedKey`; undefined if the file is not archived. */
export function archivedPathOf(key: string): string | undefined {
  const path = key.slice(key.indexOf('/') + 1, key.lastIndexOf('/'));
  return path === NOT_ARCHIVED ? undefined : path;
}

/** Everything else stays as it was, to the byte. */
export function servedRecord({ text, files }: ArchivedRecord, page: PageSigner): string {
  const urls = new Map<string, string>();
  for (const reference of fileReferences(verbatimJob(text))) {
    const served = servedUrlOf(reference, files, page);
    if (reference.url !== null && served !== undefined && !urls.has(reference.url))
      urls.set(reference.url, served);
  }
  if (urls.size === 0) return text;
  // a longer URL may begin with a shorter one
  const inTexts = [...urls]
    .filter(([url]) => isWebUrl(url))
    .flatMap(([url, served]) => [
      [url.trim(), served] as const,
      [url.trim().replaceAll('&', '&amp;'), served] as const,
    ])
    .sort(([a], [b]) => b.length - a.length);
  const clean = (value: string): string => {
    const whole = urls.get(value);
    if (whole !== undefined) return whole;
    if (isJsonIn(value)) return maskedStrings(value, () => clean);
    if (!value.includes('://')) return value;
    return inTexts.reduce((changed, [url, served]) => changed.replaceAll(url, () => served), value);
  };
  return maskedStrings(text, (json, at) =>
    EXPIRY_BEFORE.test(json.slice(Math.max(0, at - 40), at))
      ? (value) => (parseTimestamp(value) === undefined ? value : page.expiresAt)
      : clean,
  );
}

function servedUrlOf(
  reference: FileReference,
  files: ReadonlyMap<string, string>,
  page: PageSigner,
): string | undefined {
  const { url, unfetched } = reference;
  if (url === null || unfetched !== null) return undefined;
  const path = files.get(placeKey(reference));
  // a bare storage key that leads nowhere stays what it is
  if (path === undefined && !isWebUrl(url)) return undefined;
  return page.url(servedKey(url, path));
}

/** An object or a list that is sent as a text. */
function isJsonIn(text: string): boolean {
  if (!/^\s*[[{]/.test(text) || !text.includes('"')) return false;
  try {
    parseJson(text);
    return true;
  } catch {
    return false;
  }
}
