/** Every path of the payload, below `data/`: numbers and digests, and of a transcript a date and letters of its title. */
import type { NamedObject } from '../archive/objects/checked-objects.js';
import { commitPath, manifestPath, type ManifestName } from '../archive/paths.js';

/** @param number of the conversation */
export function recordsPath(number: number): string {
  return `records/${sixDigits(number)}.json`;
}

/** The characters of a title in a path: a file system takes 255 bytes a name, and a letter may have four. */
const TITLE_CHARACTERS = 40;

/**
 * Named by date and title, for people; the number keeps two of one title apart. Of the title only letters and digits of
 * ASCII are taken, without their accents, with hyphens between: a disk or a mail that writes accents in another form
 * would change any other name, and `sha256sum -c` would not find the file.
 *
 * @param at ISO 8601; null where no time is known
 */
export function transcriptPath(number: number, at: string | null, title: string | null): string {
  const words = (title ?? '')
    .toWellFormed()
    .normalize('NFKD')
    .replaceAll('ß', 'ss')
    .replace(/\p{M}/gu, '');
  const name = (words.match(/[a-z0-9]+/gi) ?? []).join('-').slice(0, TITLE_CHARACTERS);
  const day = at === null ? 'undated' : at.slice(0, 10);
  return `transcripts/${[day, name.replace(/-$/, '') || 'session', sixDigits(number)].join('-')}.txt`;
}

export function artifactPathInPack({ path, sha256 }: NamedObject): string {
  const extension = /\.([a-z0-9]{1,8})$/.exec(path)?.[1] ?? 'bin';
  return `artifacts/${sha256}.${extension}`;
}

const COMMITS = 'commits/';

export function wholeCommitPath(number: number): string {
  return COMMITS + nameOf(commitPath(number));
}

export function wholeManifestPath(name: ManifestName, number: number, sha256: string): string {
  return COMMITS + nameOf(manifestPath(name, number, sha256));
}

export function extractPath(number: number): string {
  return wholeCommitPath(number).replace(/\.json$/, '.extract.json');
}

export function jobsExtractPath(number: number): string {
  return wholeCommitPath(number).replace(/\.json$/, '.extract.jobs.jsonl');
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function sixDigits(number: number): string {
  return String(number).padStart(6, '0');
}
