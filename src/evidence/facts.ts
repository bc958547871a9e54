/** What is kept of each row until the pack's files are written: plain JSON, times as ISO 8601. */
import type { ArtifactEntry } from '../archive/log/commit.js';
import type { AskedTimes } from '../model/asked-times.js';
import { commitPath, manifestPath, type ManifestName } from '../archive/paths.js';

/** Where a row was read. */
export interface Origin {
  /** The part file in the archive. */
  readonly path: string;
  /** The commit that names it. */
  readonly commit: number;
  readonly exportedAt: string | null;
}

export interface SessionFact extends Origin {
  readonly kind: 'session';
  readonly version: number;
  readonly name: string | null;
  readonly createdAt: string | null;
}

export interface JobFact extends Origin, AskedTimes {
  readonly kind: 'job';
  readonly version: number;
  /** Whether this version took the job out of its session. */
  readonly isWithdrawn: boolean;
  readonly question: string | null;
  readonly answer: string | null;
}

/** Code or a step's text of a job in which the words of a search stand. */
export interface CodeFact extends Origin {
  readonly kind: 'code' | 'step';
  readonly version: number;
  readonly block: number;
  /** The language of code, or what the step is called. */
  readonly name: string | null;
  readonly text: string;
}

/** A source or a proposed question of a job. */
export interface EntryFact extends Origin {
  readonly kind: 'source' | 'question';
  readonly version: number;
  readonly block: number;
  /** Within the block. */
  readonly index: number;
  /** The source's name with its page, or the question. */
  readonly text: string;
  /** The cited passage; null of a question, and where the service sends none. */
  readonly passage: string | null;
}

/** A job's record, which is in the pack already. */
export interface RecordFact extends Origin {
  readonly kind: 'record';
  readonly version: number;
  readonly packPath: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface ArtifactFact extends Origin {
  readonly kind: 'artifact';
  /** Of the job. */
  readonly version: number;
  readonly role: string | null;
  readonly block: number;
  /** Within the block. */
  readonly file_index: number;
  /** As in `artifacts.kind`. */
  readonly type: string | null;
  readonly name: string | null;
  /** Without its query. */
  readonly url: string | null;
  readonly status: string | null;
  /** Why it is not stored; null where it is. */
  readonly reason: string | null;
  /** What is doubtful about it, where it is stored. */
  readonly doubt: string | null;
  readonly mediaType: string | null;
  /** Null where the file is not stored. */
  readonly file: { readonly path: string; readonly sha256: string; readonly bytes: number } | null;
}

export type Fact = SessionFact | JobFact | CodeFact | EntryFact | RecordFact | ArtifactFact;

/** What the pack holds so far: for the summary, and for the extracts, which name nothing else. */
export interface Packed {
  users: number;
  sessions: number;
  jobs: number;
  /** Ids of the sessions. */
  readonly sessionIds: Set<string>;
  /** Ids of the holds in `holds.csv`. */
  readonly holdIds: Set<string>;
  records: number;
  /** Paths in the archive of part files with a row in the pack. */
  readonly parts: Set<string>;
  /** Paths in the archive of artifacts in the pack. */
  readonly artifacts: Set<string>;
}

export function nothingPacked(): Packed {
  const sets = {
    sessionIds: new Set<string>(),
    holdIds: new Set<string>(),
    parts: new Set<string>(),
    artifacts: new Set<string>(),
  };
  return { users: 0, sessions: 0, jobs: 0, records: 0, ...sets };
}

/** Every path of the payload, below `data/`: numbers and digests, and of a transcript a date and letters of its title. */

export function recordPath(number: number): string {
  return `records/${sixDigits(number)}.json`;
}

/** Of a title: a file system takes 255 bytes a name, and a letter may have four. */
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

export function artifactPathInPack({ path, sha256 }: ArtifactEntry): string {
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
