/** Every path of the payload, below `data/`; numbers and digests alone, no part is ever taken from data. */
import type { ArtifactEntry } from '../archive/log/commit.js';
import { commitPath, manifestPath } from '../archive/paths.js';

export function recordPath(number: number): string {
  return `records/${sixDigits(number)}.json`;
}

export function transcriptPath(number: number): string {
  return `transcripts/${sixDigits(number)}.txt`;
}

export function artifactPathInPack({ path, sha256 }: ArtifactEntry): string {
  const extension = /\.([a-z0-9]{1,8})$/.exec(path)?.[1] ?? 'bin';
  return `artifacts/${sha256}.${extension}`;
}

const COMMITS = 'commits/';

export function wholeCommitPath(number: number): string {
  return COMMITS + nameOf(commitPath(number));
}

export function wholeJobsPath(number: number, sha256: string): string {
  return COMMITS + nameOf(manifestPath(number, sha256));
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
