/**
 * Which files a job's record points to, anywhere in it. The kinds, and what is done with each:
 *
 * | where | kind | |
 * |---|---|---|
 * | content of a TABLE or IMAGE block, in any letter case: a text, `{url}`, or a list of these | TABLE, IMAGE | fetched |
 * | a member `url` of an object in any other block, however deep, except SOURCES and QUESTIONS; or `image_url`, `imageUrl`, … | the block's type | fetched |
 * | a member that is named like a file (`image`, `src`, …) and holds a URL or a path that ends like a file's, likewise | the block's type | fetched |
 * | a block of another type (VIDEO, say; not TASK, TRIGGER, LINK) that consists of a URL, or a list of these | the block's type | fetched |
 * | `href` or `link`, likewise, where the URL's path ends like a file's (`.csv`, `.png`, …) | the block's type | fetched |
 * | an image in Markdown, or `<img>` with a URL of a host, in any text but code and SOURCES | MARKDOWN_IMAGE | fetched |
 * | any other URL that bears a presigning scheme as a whole, in any text at all | PRESIGNED_LINK | fetched |
 * | one of the above in JSON that is sent as a text, in a block that is no MESSAGE, CODE, SOURCES or QUESTIONS | likewise | fetched |
 * | one of the above outside of the question's and the answer's blocks | likewise; RECORD for a member | fetched |
 * | what comes after the first thousand of a job | MORE, once | not fetched |
 * | a URL of another scheme than http and https (`blob:`, say) or of none (`//host/…`), or a relative one in Markdown | as above | not fetched |
 * | a `data:` URL in one of the places above but texts | likewise | the file itself: stored |
 * | `data:` in a text, any other link, a web page in SOURCES, say | none | data, kept as it is |
 */
import type { JobRecord, Verbatim } from '../model/records.js';
import { isWebUrl } from '../model/urls/file-url.js';
import type { FilePlace } from './file-places.js';
import { readingOf } from './job-blocks.js';

export type { FileRole } from './file-places.js';

export interface FileReference extends Pick<
  FilePlace,
  'role' | 'blockIndex' | 'kind' | 'name' | 'expiresAt'
> {
  /** Position within the block, from 0: lists in order, members by name, `url` before the others. */
  readonly fileIndex: number;
  /** A URL or a bare storage key, as sent; null where a TABLE or IMAGE holds neither. */
  readonly url: string | null;
  /** Why it is not fetched; null where it is. */
  readonly unfetched: string | null;
}

const MAX_REFERENCES = 1000;

/** Settling, digests, gaps and rows all need them. */
const KNOWN = new WeakMap<Verbatim<JobRecord>, readonly FileReference[]>();

/**
 * In the order of the record: the question's, the answer's, then what stands outside of both. They are kept as long as the
 * record lives.
 */
export function fileReferences(job: Verbatim<JobRecord>): readonly FileReference[] {
  const known = KNOWN.get(job);
  if (known) return known;
  const references = limited(numbered(readingOf(job).places));
  KNOWN.set(job, references);
  return references;
}

function limited(all: readonly FileReference[]): readonly FileReference[] {
  const rest = all.length - MAX_REFERENCES;
  if (rest <= 0) return all;
  const fetched = all.slice(0, MAX_REFERENCES);
  const first = all[MAX_REFERENCES];
  if (!first) return fetched;
  const unfetched = `${rest} more of this job, after the first ${MAX_REFERENCES}`;
  return [
    ...fetched,
    { ...first, kind: 'MORE', name: null, url: null, expiresAt: null, unfetched },
  ];
}

/** Identifies a reference within its job, also when the record is read again. */
export function placeKey(place: Pick<FileReference, 'role' | 'blockIndex' | 'fileIndex'>): string {
  return `${place.role}/${place.blockIndex}/${place.fileIndex}`;
}

function numbered(places: readonly FilePlace[]): FileReference[] {
  const counts = new Map<string, number>();
  return places.map((place) => {
    const { role, blockIndex, kind, name, url, expiresAt } = place;
    const block = `${role}/${blockIndex}`;
    const fileIndex = counts.get(block) ?? 0;
    counts.set(block, fileIndex + 1);
    const isMarkdown = kind === 'MARKDOWN_IMAGE';
    const isRelative =
      url !== null && (url.trim().startsWith('//') || (isMarkdown && !isWebUrl(url)));
    const unfetched = isRelative ? 'only http and https are fetched, and no relative URL' : null;
    return { role, blockIndex, fileIndex, kind, name, url, expiresAt, unfetched };
  });
}
