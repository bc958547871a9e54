/** Snapshots of archives in memory, and what readers find with and without them. */
import {
  contextOf,
  fromSnapshot,
  type Archive,
  type ContextOptions,
} from '../../../src/archive/archive.js';
import { listGaps } from '../../../src/archive/gaps.js';
import { EVERYBODY } from '../../../src/archive/reading/scope.js';
import { traceSessions } from '../../../src/archive/reading/selection.js';
import { storedSnapshots } from '../../../src/archive/snapshots/snapshot-reader.js';
import {
  writeSnapshotIfDue,
  type SnapshotOptions,
} from '../../../src/archive/snapshots/write-snapshot.js';
import { caveatsOf } from '../../../src/archive/reading/caveats/caveat.js';
import { readUsers } from '../../../src/archive/reading/caveats/read-users.js';
import { archiveStatus } from '../../../src/completeness/archive-status.js';
import type { UserStatus } from '../../../src/completeness/user-status.js';
import { readSnapshot } from '../../../src/query/snapshot.js';
import { gunzipSync } from 'node:zlib';
import { LogIndex } from '../../../src/archive/log/log-index.js';
import { FakeClock } from '../base/fake-clock.js';
import { reopened, runOf, seededRandom } from './archive-samples.js';
import { ArchiveView } from '../../../src/archive/reading/archive-view.js';

const { signal } = new AbortController();

/** After every commit. */
const ALWAYS = { commits: 1, entries: 1 } as const;

/** Writes one as a run that ends, however little readers would have to read. */
export function snapshotOf(
  archive: Archive,
  { run = runOf('S'), pace = ALWAYS, ...over }: ContextOptions & Partial<SnapshotOptions> = {},
): Promise<number | undefined> {
  return writeSnapshotIfDue({
    archive: {
      ...archive,
      ...contextOf({
        ...archive,
        clock: new FakeClock(0),
        random: seededRandom(archive.index.through + 100),
        ...over,
      }),
    },
    run,
    pace,
  });
}

/** Path of the newest one that lies there. */
export async function newestSnapshot({ storage }: Archive): Promise<string> {
  const [newest] = await storedSnapshots(storage);
  if (!newest) throw new Error('there is no snapshot');
  return newest.path;
}

/** What the newest one has: the bytes of its sessions, and the text of the rest. */
export async function snapshotParts(archive: Archive) {
  const path = await newestSnapshot(archive);
  const bytes = Buffer.from(await archive.storage.get(path));
  const index = new LogIndex(archive.storage, archive.log);
  await index.refresh();
  const [named] = index.view.snapshots;
  const sessions = bytes.subarray(0, named?.sessions_bytes);
  return { sessions, text: gunzipSync(bytes.subarray(sessions.length)).toString() };
}

/** What readers say of the archive: as another process sees it, from every commit, or from the newest snapshot. */
export async function toldOf(archive: Archive, from: 'commits' | 'snapshot') {
  const opened = { ...reopened(archive), clock: new FakeClock(0) };
  const reader = from === 'snapshot' ? fromSnapshot(opened) : opened;
  const { index } = reader;
  await index.refresh();
  const users: UserStatus[] = [];
  const status = await archiveStatus(reader, {
    runs: 100,
    onUser: (user) => users.push(user),
  });
  const { gone, files, commit } = await readSnapshot(reader);
  const gaps = await listGaps(reader, signal);
  const sessions = ['a', 'b', 'c', 'nobody'];
  const { view } = index;
  return {
    begunAt: index.snapshot?.head.number ?? 0,
    told: {
      status,
      users,
      order: [index.users, await index.allUsers()],
      caveats: caveatsOf(await readUsers(await ArchiveView.of(reader, EVERYBODY, { signal }))),
      gone: gone.map((one) => JSON.stringify(one)).sort(),
      gaps: gaps.map((one) => JSON.stringify(one)).sort(),
      files: [...files],
      commit,
      traces: [...(await traceSessions(index, sessions, signal))].sort(),
      contents: [view.artifacts, view.contents.removed, view.contents.manifests],
      commits: [...view.commits.values()],
      runs: [...view.runs],
      abandoned: [...view.abandonedRuns],
      erasures: index.erasures,
      holds: index.holds,
      accepted: index.acceptedGaps.records,
      drills: [view.drills.last, view.drills.failed],
      snapshots: view.snapshots,
      head: index.head,
    },
  };
}
