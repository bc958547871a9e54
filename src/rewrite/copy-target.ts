/**
 * Looks whether a place may become or is a copy of an archive. A copy removes what the archive does not have: neither the
 * archive itself under another name may lose it, nor a run that is about to commit to the copy.
 */
import type { Archive } from '../archive/archive.js';
import { readIdentity } from '../archive/open-archive.js';
import { commitNumberOf, commitPath, COMMITS_PREFIX, COPY_MARKER_PATH } from '../archive/paths.js';
import { runsAtWork } from '../archive/runs/lease.js';
import { isOfFileManager } from '../archive/objects/unnamed-objects.js';
import { parseJson } from '../base/text/parse-json.js';
import { UsageError } from '../base/error.js';
import { type Storage } from '../storage/storage.js';
import { getIfThere } from '../storage/small-objects.js';

interface Copying {
  readonly archive: Archive;
  readonly target: Storage;
}

/** A run of another machine that has not renewed its lease for so long counts as dead, as for those that clean up. */
const AT_WORK_MS = 24 * 3_600_000;

/** @throws {UsageError} the target has other files, another log, or a run at work, or is the archive itself */
export async function assertTarget({ archive, target }: Copying): Promise<void> {
  const place = target.location;
  const identity = await readIdentity(target);
  const marker = await getIfThere(target, COPY_MARKER_PATH);
  const begun = identity?.id ?? (marker && Buffer.from(marker).toString().trim());
  if (begun !== undefined && begun !== archive.identity.id) {
    throw new UsageError(`${place} holds another archive: choose an empty place`);
  }
  if (begun !== undefined) await assertPrefix(archive, target);
  else {
    for await (const { path } of target.list('')) {
      if (isOfFileManager(path)) continue;
      const problem = `${place} is not empty (it holds ${path})`;
      throw new UsageError(`${problem}: choose an empty place, or a copy of this archive`);
    }
  }
  if (await isSamePlace({ archive, target })) {
    await target.delete(COPY_MARKER_PATH);
    throw new UsageError(`${place} is the archive itself under another name: give another place`);
  }
  await assertNobodyAtWork({ archive, target });
}

/** Leaves the marker in the target. A link, a mount or another address of a bucket may lead to the archive: it shows there. */
async function isSamePlace({ archive, target }: Copying): Promise<boolean> {
  const { storage, identity } = archive;
  const marker = Buffer.from(`${identity.id}\n`);
  const isThere = async (): Promise<boolean> =>
    (await storage.stat(COPY_MARKER_PATH)) !== undefined;
  const wasThere = await isThere();
  await target.put(COPY_MARKER_PATH, marker);
  if (!wasThere) return isThere();
  await target.delete(COPY_MARKER_PATH);
  const isGone = !(await isThere());
  await target.put(COPY_MARKER_PATH, marker);
  return isGone;
}

/** What a run has written and not committed yet looks like what has left the archive. @throws {UsageError} */
async function assertNobodyAtWork({ archive, target }: Copying): Promise<void> {
  const nowMs = (await target.stat(COPY_MARKER_PATH))?.modifiedAtMs ?? 0; // by the clock of the storage
  const runs = await runsAtWork({ storage: target, processes: archive.processes });
  const [first] = runs.filter(({ renewedAtMs }) => nowMs - renewedAtMs <= AT_WORK_MS);
  if (!first) return;
  throw new UsageError(
    `run ${first.run} is at work in ${target.location} (${first.host === undefined ? 'its lease cannot be read' : `on ${first.host}`}): copy when it has ended; a copy that is exported to is no copy any more`,
  );
}

/** @throws {UsageError} somebody has just committed to the copy */
export async function putCommit(
  target: Storage,
  { number, bytes }: { readonly number: number; readonly bytes: Uint8Array },
): Promise<void> {
  const path = commitPath(number);
  if (await target.putIfAbsent(path, bytes)) return;
  const seen = await target.get(path);
  // an erasure changes commits under the same name
  const isOurs = digestIn(seen) === digestIn(bytes);
  if (isOurs && (await target.compareAndSwap(path, seen, bytes))) return;
  throw otherCommit(target, number);
}

function digestIn(bytes: Uint8Array): unknown {
  const { digest } = parseJson(Buffer.from(bytes).toString()) as { readonly digest?: unknown };
  return digest;
}

function otherCommit({ location }: Storage, number: number): UsageError {
  const problem = `${location} has a commit ${number} that is not the archive's`;
  return new UsageError(`${problem}: it is not a copy of it any more`);
}

/** Checks that the copy has no commits of its own: somebody may have exported into it. */
async function assertPrefix({ log }: Archive, target: Storage): Promise<void> {
  const head = await log.head();
  for await (const { path } of target.list(COMMITS_PREFIX)) {
    const number = commitNumberOf(path);
    if (number === undefined) continue;
    const sourceCommit = number <= (head?.number ?? 0) ? await log.read(number) : undefined;
    if (sourceCommit?.digest !== digestIn(await target.get(path)))
      throw otherCommit(target, number);
  }
}
