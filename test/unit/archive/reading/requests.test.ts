/** What a bucket is asked before the first row, however old the archive: a request a call, as none lists 1,000 names. */
import { beforeAll, describe, expect, it } from 'vitest';
import { fromSnapshot } from '../../../../src/archive/archive.js';
import { createOrOpenArchive, openArchiveIn } from '../../../../src/archive/open-archive.js';
import { conversationOf } from '../../../../src/archive/reading/conversation.js';
import { listArchivedSessions } from '../../../../src/archive/reading/session-list.js';
import { resolveSessions } from '../../../../src/archive/reading/resolve-sessions.js';
import { writeSnapshotIfDue } from '../../../../src/archive/snapshots/write-snapshot.js';
import { readSnapshot } from '../../../../src/query/snapshot.js';
import type { Storage } from '../../../../src/storage/storage.js';
import { FakeClock } from '../../../support/base/fake-clock.js';
import {
  archiveSettings,
  runOf,
  seededRandom,
  userEntry,
} from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';
import { commitJobs } from '../../../support/store/written-jobs.js';

const clock = new FakeClock(0);
const dependencies = { clock, random: seededRandom(1) };
const MOST = 12;

/** Of reads and lists, until a part file is read. */
function counted(storage: Storage) {
  const asked: string[] = [];
  let isOver = false;
  const count = (what: string, path: string) => {
    isOver ||= path.startsWith('tables/');
    if (!isOver) asked.push(`${what} ${path}`);
  };
  const counting: Storage = {
    ...storage,
    get: (path) => {
      count('get', path);
      return storage.get(path);
    },
    read: (path, range) => {
      count('read', path);
      return storage.read(path, range);
    },
    stat: (path) => {
      count('stat', path);
      return storage.stat(path);
    },
    list: (prefix, options) => {
      count('list', prefix);
      return storage.list(prefix, options);
    },
  };
  return { storage: counting, asked };
}

describe.each([1, 4, 5, 6, 7, 8, 300])('an archive of %i nights', (nights) => {
  const storage = createMemoryStorage();

  beforeAll(async () => {
    const archive = await createOrOpenArchive(storage, archiveSettings({ formats: ['jsonl'] }));
    for (let night = 1; night <= nights; night++) {
      const job = { user: 'ann', session: 'a-session', job: `job ${night}` };
      const options = { checkpoint: night, over: { users: [userEntry('ann')] } };
      // a session that changes every night is another matter
      if (night === 1) await commitJobs(archive, [job], options);
      else {
        await archive.log.append({
          kind: 'export',
          base: archive.index.through,
          run: runOf('A'),
          checkpoint: night,
          tool: 'jobvault test',
          scope: {},
          users: [userEntry('ann')],
        });
      }
      await writeSnapshotIfDue({ archive, run: runOf('A') });
    }
  });

  async function reading() {
    const { storage: counting, asked } = counted(storage);
    const archive = fromSnapshot(await openArchiveIn(counting, dependencies));
    return { archive, asked };
  }

  it('the archive is asked at most a dozen times before the first row of a session', async () => {
    const of = await reading();
    const [session = ''] = await resolveSessions(of, { users: [], sessions: ['a-sessi'] });
    const { jobs } = await conversationOf(of, { session });
    expect(jobs).toHaveLength(1);
    expect(of.asked.length, of.asked.join('\n')).toBeLessThanOrEqual(MOST);
  });

  it('the archive is asked at most a dozen times before the first row of the list of sessions', async () => {
    const of = await reading();
    expect(await listArchivedSessions(of, { users: [], sessions: [] })).toMatchObject({ total: 1 });
    expect(of.asked.length, of.asked.join('\n')).toBeLessThanOrEqual(MOST);
  });

  it('the archive is asked at most a dozen times before the first row of a query', async () => {
    const of = await reading();
    const { files } = await readSnapshot(of.archive);
    expect(files.get('jobs')).toHaveLength(1);
    expect(of.asked.length, of.asked.join('\n')).toBeLessThanOrEqual(MOST);
  });
});
