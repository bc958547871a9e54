/** Writes the log as far as it concerns the pack: whole commits where they name nobody else, extracts of the others. */
import type { Archive } from '../archive/archive.js';
import { decodeCommit } from '../archive/log/commit-reader.js';
import type { RequestRecord } from '../archive/log/request-history.js';
import type {
  AcceptedEntry,
  Commit,
  CommitScope,
  ErasureEntry,
  HoldEntry,
  JobLine,
  RequestEntry,
  UserEntry,
} from '../archive/log/commit.js';
import { manifestLines, listedIn, MANIFESTS } from '../archive/log/manifest.js';
import { commitPath } from '../archive/paths.js';
import { gapsOfChosen } from '../archive/reading/doubts.js';
import type { Bag } from './bag.js';
import { readAhead } from '../base/concurrently.js';
import { readChecked } from '../archive/objects/checked-objects.js';
import { RewrittenMeanwhileError } from '../archive/archive-errors.js';
import { type Packed } from './packed.js';
import { jobsExtractPath, extractPath, wholeCommitPath, wholeManifestPath } from './pack-paths.js';
import type { CsvFiles } from './csv-files.js';
import type { Making } from '../making/making.js';

export interface PackLogOptions {
  readonly archive: Archive;
  readonly making: Making;
  readonly bag: Bag;
  readonly csv: CsvFiles;
  /** Complete: an extract names the files that are in the pack, and no others. */
  readonly packed: Packed;
  /** The request that the pack is made for: its record and what was done for it. Those of others stay in the archive. */
  readonly request: Pick<RequestRecord, 'id'> | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface CommitCounts {
  whole: number;
  extracts: number;
  /** Only their digests are in the pack. */
  others: number;
}

/** A commit that is whole, below `data/`: to show how one is checked. */
export interface ExampleCommit {
  readonly path: string;
  readonly isSigned: boolean;
}

/** Users manifests read at a time. */
const READ_AHEAD = 8;

/** @throws {IntegrityError} a commit or one of its manifests is damaged */
export async function writeCommits(options: PackLogOptions): Promise<{
  readonly counts: CommitCounts;
  readonly example: ExampleCommit | undefined;
  /** Whether any commit of the archive is. */
  readonly areSigned: boolean;
}> {
  const { archive, making, csv, signal } = options;
  const counts = { whole: 0, extracts: 0, others: 0 };
  let example: ExampleCommit | undefined;
  let areSigned = false;
  /** Receipts of erasures that vouch for what is in the pack. */
  const vouching = new Set<number>();
  const walk = archive.index.walk({ through: making.asOf?.number ?? 0, signal });
  const read = async (commit: Commit) => ({ commit, listed: await listedIn(archive, commit) });
  for await (const { commit, listed } of readAhead(walk, READ_AHEAD, read)) {
    const plainKind = await kindOf(options, commit, listed);
    const kind = plainKind === 'digest' && vouching.has(commit.number) ? 'extract' : plainKind;
    if (kind !== 'digest' && commit.redacted_by !== undefined) vouching.add(commit.redacted_by);
    let file: string | null = null;
    if (kind === 'whole') {
      file = await writeWhole(options, commit);
      const isSigned = commit.signature !== null;
      if (!example || isSigned) example = { path: file, isSigned };
    }
    if (kind === 'extract') file = await writeExtract(options, commit, listed);
    counts[kind === 'whole' ? 'whole' : kind === 'extract' ? 'extracts' : 'others']++;
    areSigned ||= commit.signature !== null;
    if (kind !== 'digest') await writeSettings(options, commit);
    const { number, created_at, digest, previous, signed_by, signature } = commit;
    await csv.write('commits/chain', {
      number,
      created_at,
      digest,
      previous,
      signed_by,
      signature,
      redacted_by: commit.redacted_by ?? null,
      in_pack: kind,
      file: file === null ? null : `data/${file}`,
    });
  }
  return { counts, example, areSigned };
}

type Kind = 'whole' | 'extract' | 'digest';

async function kindOf(
  options: PackLogOptions,
  commit: Commit,
  listed: readonly UserEntry[],
): Promise<Kind> {
  const { archive, making, packed } = options;
  const { selection } = making;
  const sessions = [...commit.sessions, ...commit.deletions];
  const { holds = [], requests = [], accepted = [] } = commit;
  const named = [
    ...sessions.map(({ user, session }) => selection.hasSession(user, session)),
    ...accepted.map((entry) => isPackedGap(options, entry)),
    ...listed.map(({ user }) => selection.hasUser(user)),
    ...holds.map((hold) => isPackedHold(options, hold)),
    ...requests.map((entry) => isOwnRequest(options, entry)),
  ];
  const isConcerned =
    named.includes(true) || commit.files.some(({ path }) => packed.parts.has(path));
  if (!isConcerned) return 'digest';
  const isAlone =
    // a redacted commit no longer has the content of its digest: it cannot be checked by itself
    commit.redacted_by === undefined &&
    named.length > 0 &&
    named.every(Boolean) &&
    scopeFor(packed, commit.scope) === commit.scope &&
    commit.sessions.every(({ session }) => !selection.decisions.hidesName(session)) &&
    requests.every((entry) => requestFor(options, entry) === entry) &&
    (await namesOnlySelected(archive, making, commit));
  return isAlone ? 'whole' : 'extract';
}

function isPackedHold({ packed }: PackLogOptions, { id }: HoldEntry): boolean {
  return packed.holdIds.has(id);
}

/** Whether a gap is of a session as a whole, or of a job that is in the pack. */
function isPackedGap(
  { making: { selection } }: PackLogOptions,
  { user, session, job }: AcceptedEntry,
): boolean {
  return job === null ? selection.hasSession(user, session) : selection.hasJob(user, session, job);
}

function isOwnRequest({ request }: PackLogOptions, { id }: RequestEntry): boolean {
  return request?.id === id;
}

/** Without users who are not in the pack; the same object where all are. */
function requestFor({ making }: PackLogOptions, entry: RequestEntry): RequestEntry {
  if (entry.action !== 'new') return entry;
  const users = entry.users.filter((user) => making.selection.hasUser(user));
  return users.length === entry.users.length ? entry : { ...entry, users };
}

async function namesOnlySelected(
  archive: Archive,
  { selection }: Making,
  commit: Commit,
): Promise<boolean> {
  let isAlone = true;
  // read to the end, even after a job that is not selected: the list is proven undamaged only then
  for await (const line of manifestLines(archive, 'jobs', commit)) {
    const { user, session, job } = line;
    isAlone &&=
      selection.hasJob(user, session, job) && selection.decisions.ofJob(session, job) === undefined;
  }
  return isAlone;
}

async function writeWhole({ archive, bag }: PackLogOptions, commit: Commit): Promise<string> {
  const { number } = commit;
  const bytes = await archive.storage.get(commitPath(number));
  // an erasure may have come to it since it was read
  if (decodeCommit(number, bytes).redacted_by !== undefined) {
    throw new RewrittenMeanwhileError(archive.storage.location, 'pack');
  }
  const path = wholeCommitPath(number);
  await bag.add(path, bytes);
  for (const name of MANIFESTS) {
    const entry = commit[name];
    if (!entry) continue;
    const to = wholeManifestPath(name, number, entry.sha256);
    await bag.addStream(to, readChecked(archive.storage, entry));
  }
  return path;
}

async function writeExtract(
  options: PackLogOptions,
  commit: Commit,
  listed: readonly UserEntry[],
): Promise<string> {
  const { making, bag, packed } = options;
  const { selection } = making;
  const isInScope = ({ user, session }: { readonly user: string; readonly session: string }) =>
    selection.hasSession(user, session);
  const { number, kind, run, checkpoint, base, previous, created_at, tool } = commit;
  const sessions = commit.sessions.filter(isInScope).map((entry) => ({
    ...entry,
    // whoever guesses the name could prove it
    ...(selection.decisions.hidesName(entry.session) && { meta_hash: null }),
    gaps: gapsOfChosen(entry.gaps, (job) => selection.hasJob(entry.user, entry.session, job)),
  }));
  const deletions = commit.deletions.filter(isInScope);
  const users = listed.filter(({ user }) => selection.hasUser(user));
  const holds = (commit.holds ?? []).filter((hold) => isPackedHold(options, hold));
  const requests = (commit.requests ?? [])
    .filter((entry) => isOwnRequest(options, entry))
    .map((entry) => requestFor(options, entry));
  const accepted = (commit.accepted ?? []).filter((entry) => isPackedGap(options, entry));
  const erasure = erasureFor(options, commit.erasure);
  const note = `An extract of commit ${number}: what it says of others is left out. The digest is that of the whole commit, which stays in the archive.`;
  const extract = {
    note,
    number,
    kind,
    run,
    checkpoint,
    base,
    previous,
    created_at,
    tool,
    scope: scopeFor(packed, commit.scope),
    // the bounds of their times are those of others, too
    files: commit.files
      .filter(({ path }) => packed.parts.has(path))
      .map((file) => (file.created ? { ...file, created: null } : file)),
    sessions,
    jobs: await extractJobs(options, commit),
    deletions,
    users,
    ...(commit.holds && { holds }),
    ...(commit.accepted && { accepted }),
    ...(commit.requests && { requests }),
    ...(erasure && { erasure }),
    left_out: {
      sessions: commit.sessions.length - sessions.length,
      deletions: commit.deletions.length - deletions.length,
      users: listed.length - users.length,
      holds: (commit.holds?.length ?? 0) - holds.length,
      accepted: (commit.accepted?.length ?? 0) - accepted.length,
      requests: (commit.requests?.length ?? 0) - requests.length,
      receipt_words: wordsOf(commit.erasure) - wordsOf(erasure),
      removed: commit.removed.length,
    },
    signed_by: commit.signed_by,
    signature: commit.signature,
    redacted_by: commit.redacted_by ?? null,
    digest: commit.digest,
  };
  const path = extractPath(number);
  await bag.add(path, `${JSON.stringify(extract, null, 1)}\n`);
  return path;
}

/** Without what people wrote, which may name somebody, and a request that is not that of the pack. */
function erasureFor(
  { request }: PackLogOptions,
  erasure: ErasureEntry | undefined,
): ErasureEntry | undefined {
  if (erasure?.stage !== 'begun') return erasure;
  if (request !== undefined && erasure.request === request.id) return erasure;
  const { stage, id, asked, erased, at_service, commits } = erasure;
  const atService = at_service === undefined ? {} : { at_service };
  return { stage, id, reason: null, asked, erased, ...atService, commits };
}

/** How many of its reason, who erased and its request a receipt has. */
function wordsOf(erasure: ErasureEntry | undefined): number {
  if (erasure?.stage !== 'begun') return 0;
  const { reason, by, request } = erasure;
  return [reason, by, request].filter((text) => text !== undefined && text !== null).length;
}

async function extractJobs(
  { archive, making, bag }: PackLogOptions,
  commit: Commit,
): Promise<{ readonly path: string; readonly rows: number } | null> {
  if (!commit.jobs) return null;
  const path = jobsExtractPath(commit.number);
  const text = await bag.openText(path);
  let rows = 0;
  for await (const line of manifestLines(archive, 'jobs', commit)) {
    const { user, session, job } = line;
    if (!making.selection.hasJob(user, session, job)) continue;
    rows++;
    const isRedacted = making.selection.decisions.ofJob(session, job) !== undefined;
    await text.write(`${JSON.stringify(isRedacted ? withoutHashes(line) : line)}\n`);
  }
  await text.finish();
  return { path: `data/${path}`, rows };
}

/** Whoever guesses a short answer, or has an image, could prove with its hash that it is what is redacted. */
function withoutHashes({ user, session, job, version, settled, seen_at, index }: JobLine): object {
  const hashes = { hash: null, text_hash: null, urls: null, files: null };
  return { user, session, job, version, ...hashes, settled, seen_at, index, redacted: true };
}

async function writeSettings(
  { packed, csv }: PackLogOptions,
  { number, run, created_at, tool, scope }: Commit,
): Promise<void> {
  for (const [setting, value] of Object.entries(scopeFor(packed, scope))) {
    await csv.write('settings', {
      of: 'commit',
      commit: number,
      run,
      created_at,
      tool,
      setting,
      value: typeof value === 'string' ? value : JSON.stringify(value),
    });
  }
}

/** The scope without sessions that are not in the pack. It is the same object where nothing is left out. */
function scopeFor({ sessionIds }: Packed, scope: CommitScope): CommitScope {
  const { sessions } = scope;
  if (!Array.isArray(sessions)) return scope;
  const kept = sessions.filter((session) => typeof session === 'string' && sessionIds.has(session));
  return kept.length === sessions.length ? scope : { ...scope, sessions: kept };
}
