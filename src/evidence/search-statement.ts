/** What a pack says of the search that chose its jobs: `search.json`, signed where the archive has a key. */
import type { Archive } from '../archive/archive.js';
import type { CommitSigner } from '../archive/log/commit-signer.js';
import { RewrittenMeanwhileError } from '../archive/parts/rewritten-meanwhile-error.js';
import { canonicalJson } from '../base/canonical-json.js';
import { findJobs, type FoundJobs } from '../search/search-archive.js';
import type { Survey } from './survey.js';

/** Which jobs a pack is to have; all where nothing is given. */
export interface PackSearch {
  /** As the words of `jobvault search`. */
  readonly match?: string | undefined;
  /** As that of `jobvault search`. */
  readonly from?: string | undefined;
  /** As that of `jobvault search`. */
  readonly to?: string | undefined;
}

export interface SearchStatement {
  readonly match: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** The commit that was searched. */
  readonly commit: number;
  /** Numbers of jobs. */
  readonly searched: number;
  readonly matches: number;
  readonly time_unknown: number;
  /** SHA-256 of the public key; null where nobody signs. */
  readonly signed_by: string | null;
}

/** Undefined where nothing narrows the pack. @throws as `findJobs` does */
export async function searchForPack(
  archive: Archive,
  { match, from, to }: PackSearch,
  users: readonly string[],
  sessions: readonly string[],
  signal: AbortSignal | undefined,
): Promise<FoundJobs | undefined> {
  if (match === undefined && from === undefined && to === undefined) return undefined;
  return findJobs({ archive, match, from, to, users, sessions, signal });
}

/** @throws {RewrittenMeanwhileError} another commit came between: the pack would hold what was not searched */
export function assertSameCommit(archive: Archive, { commit }: FoundJobs, { head }: Survey): void {
  if (commit === (head?.number ?? 0)) return;
  throw new RewrittenMeanwhileError(archive.storage.location, 'pack');
}

export interface StatementParts {
  readonly archive: Archive;
  readonly survey: Survey;
  readonly search: PackSearch;
  readonly users: readonly string[];
  readonly sessions: readonly string[];
  readonly signer: CommitSigner | undefined;
  /** ISO 8601 */
  readonly madeAt: string;
  readonly tool: string;
}

/** Undefined where the pack rests on no search. @returns the statement, and `search.json` */
export function stateSearch({
  archive,
  survey,
  search,
  users,
  sessions,
  signer,
  madeAt,
  tool,
}: StatementParts): { readonly statement: SearchStatement; readonly json: string } | undefined {
  const { found } = survey.selection;
  if (!found) return undefined;
  const statement: SearchStatement = {
    match: search.match ?? null,
    from: search.from ?? null,
    to: search.to ?? null,
    commit: found.commit,
    searched: found.searched,
    matches: found.matches,
    time_unknown: found.time_unknown,
    signed_by: signer?.publicKeyId ?? null,
  };
  const body = {
    archive: archive.identity.id,
    head: survey.head?.digest ?? null,
    users: users.length > 0 ? users : null,
    sessions: sessions.length > 0 ? sessions : null,
    made_at: madeAt,
    tool,
    ...statement,
  };
  const signature = signer?.sign(Buffer.from(canonicalJson(body))) ?? null;
  return { statement, json: `${JSON.stringify({ ...body, signature }, null, 1)}\n` };
}
