/** A job that its history shows more than once: with the same content, with a newer one, with two at once. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { oldJob } from '../../support/programs/pieced-export.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** The history of ann's session, whatever page is asked for. */
function showing(session: string, ...jobs: readonly string[]): void {
  const page = `{"page_size":100,"total_items":${jobs.length},"records":[${jobs.join(',')}]}`;
  const answer = (records: string) =>
    ({ kind: 'body', body: `{"code":0,"data":${records}}` }) as const;
  rig.emulator.faults.api = [{ operations: ['getHistory'], pathId: session, answer: answer(page) }];
}

const saying = (id: string, words: string) => oldJob(id).replace('Well?', words);

async function versions(): Promise<unknown[]> {
  const rows = await rig.rig.rows('jobs');
  return rows
    .map((row) => [row['question_text'], row['job_version']])
    .toSorted(([, a], [, b]) => Number(a) - Number(b));
}

it('a job twice on a page with two contents is a gap, keeps its session, and no new version', async () => {
  const session = rig.addSession('ann', 's1');
  const id = rig.oldJobId();
  showing(session, saying(id, 'one'), saying(id, 'two'));
  for (const archived of [1, 0]) {
    const { status, gaps, jobs } = await rig.rig.export();
    expect([status, jobs.archived]).toEqual(['gaps', archived]);
    expect(gaps).toMatchObject([
      {
        session,
        status: 'incomplete',
        reason: expect.stringContaining(
          `job ${id} is listed more than once, with different contents`,
        ) as unknown,
      },
    ]);
  }
  expect(await versions()).toEqual([['one', 1]]);
  expect((await rig.prune({ rules: { all: true } })).summary.deletions.deleted).toBe(0);
  expect(rig.left()).toEqual(['s1']);
});

it('a job twice on a page with one content is archived once, also if its session already was', async () => {
  const session = rig.addSession('ann', 's1', { jobs: 1 });
  await rig.rig.export();
  const [known = ''] = rig.state.jobIds('ann', session);
  const text = rig.state.jobText('ann', session, known);
  const late = saying(rig.oldJobId(), 'late');
  showing(session, text, late, late);
  await rig.rig.export();
  expect(await versions()).toEqual([
    ['Well?', 1],
    ['late', 1],
  ]);
  expect((await rig.rig.verify()).problems).toEqual([]);
});

describe('a job that changes between two requests that both show it', () => {
  /** Fifteen jobs on pages of ten: the tenth is on both. */
  function changingTenth(when: (nth: number) => boolean): string {
    const session = rig.addSession('ann', 's1', { jobs: 15 });
    rig.emulator.faults.order = 'oldest';
    const tenth = rig.state.jobIds('ann', session)[9] ?? '';
    rig.emulator.faults.beforeRequest = ({ operation, nth }) => {
      if (operation !== 'getHistory' || !when(nth)) return;
      rig.state.changeJob('ann', session, tenth, () => saying(tenth, `newer ${nth}`));
    };
    return session;
  }

  it('is archived as it was, and as it is now', async () => {
    changingTenth((nth) => nth === 2);
    const { status, gaps } = await rig.rig.export({ pageSize: 10 });
    expect([status, gaps]).toEqual(['complete', []]);
    const rows = (await versions()).filter((row) => String(row) !== 'Well?,1');
    expect(rows).toEqual([['newer 2', 2]]);
    rig.emulator.faults.beforeRequest = undefined;
    expect((await rig.rig.export({ full: true })).jobs.archived).toBe(0);
    expect((await rig.prune({ rules: { all: true } })).summary.deletions.deleted).toBe(1);
  });

  it('and with every request after that is a gap, until it comes to rest', async () => {
    changingTenth((nth) => nth > 1);
    expect((await rig.rig.export({ pageSize: 10 })).status).toBe('gaps');
    rig.emulator.faults.beforeRequest = undefined;
    expect((await rig.rig.export({ pageSize: 10 })).status).toBe('complete');
    expect((await rig.rig.verify()).problems).toEqual([]);
  });
});
