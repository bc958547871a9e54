import { expect, it } from 'vitest';
import type { PieceData, SessionData } from '../../../src/report/page-data.js';
import { writeReport } from '../../../src/report/write-report.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { createMemoryStorage, type MemoryStorage } from '../../support/store/memory-storage.js';
import { oldJob } from '../../support/programs/pieced-export.js';

/** What a data file hands over when it runs. */
function dataOf(storage: MemoryStorage, key: string): unknown {
  const script = Buffer.from(storage.place.objects.get(`data/${key}.js`) ?? '').toString();
  let arrived: unknown;
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- what a browser does with it
  new Function('jobvaultData', script)((_key: string, data: unknown) => (arrived = data));
  return arrived;
}

it('shows an archive of JSON lines, earlier versions of a job, and a session that is gone', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 2 });
  const [user = ''] = rig.state.userIds();
  const [changing = '', leaving = ''] = rig.state.sessionIds(user);
  const id = rig.state.newJobId(Date.UTC(2026, 0, 5));
  rig.state.addJob(user, changing, oldJob(id));
  await rig.export({ formats: ['jsonl'] });
  rig.state.changeJob(user, changing, id, () => oldJob(id).replace('Well?', 'Well, really?'));
  rig.state.deleteSession(user, leaving);
  await rig.export({ formats: ['jsonl'], full: true });

  const target = createMemoryStorage();
  const summary = await writeReport({ archive: await rig.open(), target });
  expect(summary).toMatchObject({ status: 'complete', users: 1, sessions: 2 });
  expect(target.place.staged.size).toBe(0); // nothing set aside is left
  const sessions = [1, 2].map((number) => dataOf(target, `s/${number}`) as SessionData);
  const changed = sessions.find((session) => session.id === changing);
  const pieces = dataOf(target, `s/${changed?.number ?? 0}-0`) as PieceData;
  const job = pieces.jobs.find((one) => one.id === id);
  expect(job?.question).toEqual([{ kind: 'text', text: 'Well, really?' }]);
  expect(job?.earlier.map(({ version, question }) => ({ version, question }))).toEqual([
    { version: 1, question: [{ kind: 'text', text: 'Well?' }] },
  ]);
  const gone = sessions.find((session) => session.id === leaving);
  expect(gone?.marks).toEqual([
    expect.stringMatching(/^not listed any more since \d{4}-\d\d-\d\d$/),
  ]);
});

it('names the datasets of sources, whoever is in it', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 1, jobs: 2 });
  await rig.export({ withDatasets: true });
  const names = new Set(rig.state.datasets().map(({ name }) => name));
  for (const users of [[], rig.state.userIds().slice(0, 1)]) {
    const target = createMemoryStorage();
    await writeReport({ archive: await rig.open(), target, users });
    const { jobs } = dataOf(target, 's/1-0') as PieceData;
    const sources = jobs
      .flatMap(({ answer }) => answer)
      .flatMap((block) => (block.kind === 'sources' ? block.sources : []));
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.filter(({ dataset }) => !names.has(dataset))).toEqual([]);
  }
});
