/** An archive with something of everything, and snapshots of it that say something else than its log. */
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Archive } from '../../../src/archive/archive.js';
import { snapshotPath } from '../../../src/archive/paths.js';
import { storedStates } from '../../../src/archive/snapshots/snapshot-reader.js';
import { sha256Hex } from '../../../src/base/digest.js';
import { asJobId } from '../../../src/model/ids.js';
import {
  deletionEntry,
  draft,
  job,
  makeArchive,
  putArtifact,
  putNaming,
  putPart,
  reopened,
  runOf,
  session,
  userEntry,
} from './archive-samples.js';
import { createMemoryStorage } from './memory-storage.js';
import { snapshotOf, snapshotParts } from './snapshots.js';

const PLACE = {
  job: asJobId('j1'),
  role: 'answer',
  block_index: 0,
  file_index: 0,
  kind: 'TABLE',
  status: 'expired',
};
const GAP = { ...PLACE, reason: 'r' };
const AT = '2026-11-05T12:00:00.000Z';

/** A log with something of everything, in seven commits. */
export async function archiveOfMuch() {
  const storage = createMemoryStorage();
  const archive = await makeArchive(storage);
  const { log } = archive;
  const first = await putPart(storage, { run: runOf('A'), n: 1, rows: 2 });
  const artifacts = [await putArtifact(storage, 'a file')];
  const jobs = [job('u', 'a', 'j1'), job('u', 'b', 'k1', { settled: false })];
  await log.append(
    draft({
      files: [first, await putNaming(storage, artifacts, { n: 9 })],
      artifacts: { count: 1, bytes: 6 },
      sessions: [session('u', 'a', { gaps: [GAP], complete: false }), session('u', 'b')],
      jobs,
      users: [userEntry('u', { listed: 2 }), userEntry('w', { error: 'denied', complete: false })],
    }),
  );
  const accepted = { ...PLACE, action: 'accept', id: 'C'.repeat(26), by: 'me', reason: 'fine' };
  const of = { user: session('u', 'a').user, session: session('u', 'a').session };
  await log.append(draft({ base: 1, kind: 'accept', accepted: [{ ...accepted, ...of }] as never }));
  const hold = { action: 'add', id: 'H'.repeat(26), user: 'v', session: null, by: 'me' };
  await log.append(draft({ base: 2, kind: 'hold', holds: [{ ...hold, reason: 'law' }] as never }));
  await log.append(draft({ base: 3, abandoned: [runOf('D')] }));
  await log.append(
    draft({
      base: 4,
      run: runOf('B'),
      sessions: [session('v', 'c'), session('u', 'b', { gone_at: AT })],
      jobs: [job('v', 'c', 'l1')],
      users: [userEntry('v')],
    }),
  );
  await log.append(draft({ base: 5, run: runOf('P'), deletions: [deletionEntry('u', 'b')] }));
  const drill = { commit: 6, sample: 0.5, sessions: 1, jobs: 1, rows: 3, files: 0, not_stored: 0 };
  await log.append(
    draft({ base: 6, kind: 'drill', run: runOf('R'), drill: { ...drill, differences: 1 } }),
  );
  await archive.index.refresh();
  return { storage, archive };
}

/**
 * Puts a snapshot with other content under a commit that names it with its SHA-256.
 *
 * @param change of its lines but those of sessions
 * @param inStates text of the states, and what stands in its place
 * @param inSessions likewise of the lines of sessions
 */
export async function forge(
  archive: Archive,
  change: (text: string) => string,
  inStates: readonly [string, string] = ['', ''],
  inSessions: readonly [string, string] = ['', ''],
): Promise<string> {
  const { storage, log } = archive;
  const before = archive.index.head;
  const alone = createMemoryStorage();
  for (const [path, bytes] of (storage as ReturnType<typeof createMemoryStorage>).place.objects) {
    alone.place.objects.set(path, bytes);
  }
  const other = reopened(archive, alone);
  await snapshotOf(other);
  const written = await snapshotParts(other);
  const sessions = gzipSync(
    gunzipSync(written.sessions)
      .toString()
      .replace(...inSessions),
  );
  let text = written.text.replace(
    `"sessions":[{"bytes":${written.sessions.length},`,
    `"sessions":[{"bytes":${sessions.length},`,
  );
  for (const { path } of await storedStates(alone)) {
    const [from, to] = inStates;
    const sound = await alone.get(path);
    const forged = gzipSync(gunzipSync(sound).toString().replace(from, to));
    await storage.put(path, forged);
    text = text.replace(`"bytes":${sound.length},"sha256":"${sha256Hex(sound)}"`, () => {
      return `"bytes":${forged.length},"sha256":"${sha256Hex(forged)}"`;
    });
  }
  const bytes = Buffer.concat([sessions, gzipSync(change(text))]);
  const through = before?.number ?? 0;
  const path = snapshotPath(through, 'F'.repeat(26));
  await storage.put(path, bytes);
  const named = { bytes: bytes.length, sha256: sha256Hex(bytes), sessions_bytes: sessions.length };
  const snapshot = { path, through, ...named };
  await log.append(draft({ kind: 'snapshot', base: through, run: runOf('F'), snapshot }));
  return path;
}
