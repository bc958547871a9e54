/** Compares the log with what others knew of it: the laps of runs, and time-stamp tokens. */
import { type Storage, type StorageReading } from '../../storage/storage.js';
import { getIfThere } from '../../storage/small-objects.js';
import { anotherCommit, cutBefore, isAnother } from '../witnesses/known-head.js';
import { storedLaps } from '../laps.js';
import { commitPath, stampedCommitOf, TIMESTAMPS_PREFIX } from '../paths.js';
import { type Findings, MAY_BE_CUT } from './findings.js';
import type { LogFindings } from './verify-log.js';
import type { X509Certificate } from 'node:crypto';
import { distrustOf, readStamp, UnusableStamp, type Stamp } from '../../timestamp/token.js';

export async function verifyLaps(
  storage: Storage,
  { newest, index }: LogFindings,
  findings: Findings,
): Promise<void> {
  for (const { path, head } of await storedLaps(storage)) {
    if (head.number > newest) {
      // a run may have put the commit since the log was read
      if (await storage.stat(commitPath(head.number))) continue;
      findings.add(cutBefore(path, head.number));
    } else if (isAnother(index, head)) {
      findings.add({ path, problem: 'chain', detail: anotherCommit(head) });
    }
  }
}

/** Verifies time-stamp tokens: each must be over the commit in its name and, with certificates, signed by a trusted authority. */
export interface TimestampReport {
  /** Whether certificates were given. Without any, nobody's signature is checked. */
  readonly checked: boolean;
  readonly tokens: number;
  /** The newest commit with a token in which nothing is wrong, and the earliest time that one of its tokens tells. */
  readonly newest: { readonly commit: number; readonly at: string } | null;
}

interface TimestampsOptions extends StorageReading {
  /** The certificates of trusted authorities, or of who certifies them. */
  readonly trusted: readonly X509Certificate[];
}

/** A token has some 6 KB. */
const MAX_BYTES = 1024 * 1024;

export async function verifyTimestamps(
  { storage, trusted, signal }: TimestampsOptions,
  { index, newest }: LogFindings,
  findings: Findings,
): Promise<TimestampReport> {
  const isChecked = trusted.length > 0;
  let tokens = 0;
  let last: { commit: number; atMs: number } | undefined;
  for await (const { path, bytes: length } of storage.list(TIMESTAMPS_PREFIX)) {
    signal?.throwIfAborted();
    const number = stampedCommitOf(path);
    if (number === undefined) continue;
    if (number > newest) {
      // a run may have put the commit since the log was read
      if (await storage.stat(commitPath(number))) continue;
      const detail = `is missing from the log: ${path} was made after it; ${MAY_BE_CUT}`;
      findings.add({ path: commitPath(number), problem: 'missing', detail });
      continue;
    }
    const bytes = length <= MAX_BYTES ? await getIfThere(storage, path) : new Uint8Array(0);
    if (!bytes) continue;
    tokens++;
    const stamp = await tryRead(bytes);
    // the digest of a damaged commit is not known; that is a problem already
    const digest = index.digestOf(number);
    const wrong =
      stamp instanceof UnusableStamp ? stamp.message : wrongWith(stamp, digest, trusted);
    if (wrong !== undefined) findings.add({ path, problem: 'timestamp', detail: wrong });
    else if (!(stamp instanceof UnusableStamp) && digest !== null)
      last = newerOf(last, number, stamp);
  }
  if (isChecked && tokens === 0 && newest > 0) {
    const detail = 'has no time stamp, and neither has any earlier commit';
    findings.add({ path: commitPath(newest), problem: 'timestamp', detail });
  }
  return {
    checked: isChecked,
    tokens,
    newest: last ? { commit: last.commit, at: new Date(last.atMs).toISOString() } : null,
  };
}

async function tryRead(bytes: Uint8Array): Promise<Stamp | UnusableStamp> {
  try {
    return await readStamp(bytes);
  } catch (error) {
    if (error instanceof UnusableStamp) return error;
    throw error;
  }
}

function wrongWith(
  stamp: Stamp,
  digest: string | null,
  trusted: readonly X509Certificate[],
): string | undefined {
  if (digest !== null && stamp.sha256 !== digest)
    return 'is a time stamp of something else than its commit';
  return trusted.length === 0 ? undefined : distrustOf(stamp, trusted);
}

function newerOf(
  last: { commit: number; atMs: number } | undefined,
  commit: number,
  { atMs }: Stamp,
): { commit: number; atMs: number } {
  if (last?.commit !== commit) return { commit, atMs };
  return { commit, atMs: Math.min(last.atMs, atMs) };
}
