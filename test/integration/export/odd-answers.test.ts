/** What is odd about one session, one job or one dataset harms nothing else. */
import { beforeEach, afterEach, expect, it } from 'vitest';
import type { ApiFault } from '../../../src/emulator/faults/faults.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: ExportRig;
let session: string;

beforeEach(async () => {
  rig = await ExportRig.start({ artifactsPerJob: 0 });
  for (let i = 0; i < 3; i++) {
    session = rig.state.addSession('ann');
    rig.state.addJob('ann', session);
    rig.state.addJob('ann', session);
  }
});
afterEach(() => rig[Symbol.asyncDispose]());

function answering(
  operation: 'listSessions' | 'listDatasets' | 'getHistory' | 'getSession',
  data: string,
  second?: string, // after the request that tries the key, and a page
): void {
  const pathId = operation.startsWith('list') ? {} : { pathId: session };
  const fault = (said: string): ApiFault => {
    const body = `{"code":0,"data":${said}}`;
    return { operations: [operation], ...pathId, answer: { kind: 'body', body } };
  };
  rig.emulator.faults.api =
    second === undefined
      ? [fault(data)]
      : [{ ...fault(data), first: 2 }, { ...fault(second), first: 1 }, fault(data)];
}

const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;

it.each([
  ['".."', { session: '..', reason: 'session id is "..", which cannot be part of a URL path' }],
  ['"."', { session: '.', reason: 'session id is ".", which cannot be part of a URL path' }],
  ['"\\ud800x"', { session: null, reason: 'has the id "\\ud800x", which is not valid text' }],
  ['""', { session: null, reason: 'has no usable id' }],
  ['null', { session: null, reason: 'has no usable id' }],
  [
    `"x","more":${deep}`,
    {
      session: null,
      reason: 'is nested more than 200 levels deep, which is not archived in any form',
    },
  ],
])(
  'a list of sessions with an odd record shows all others, one at a time: %#',
  fault('F-60'),
  async (id, gap) => {
    const ids = rig.state.sessionIds('ann').map((known) => `{"id":"${known}"}`);
    const records = `[${ids[0]},{"id":${id}},${ids[1]},${ids[2]}]`;
    answering(
      'listSessions',
      `{"page_number":1,"page_size":100,"total_items":4,"records":${records}}`,
      `{"page_number":2,"page_size":100,"total_items":4,"records":[]}`,
    );
    const { summary, error } = await rig.run({ users: ['ann'], concurrency: 1 });
    expect(error).toBeUndefined();
    expect(summary).toMatchObject({ status: 'gaps', jobs: { archived: 6 } });
    expect(summary.gaps).toMatchObject([
      { session: gap.session, reason: expect.stringContaining(gap.reason) },
    ]);
  },
);

it.each([
  ['5', 'is not an object'],
  ['{"question":{}}', 'has no usable job_id'],
  ['{"job_id":"\\udfff"}', 'is not valid text'],
  [
    `{"job_id":"deep","answer":{"blocks":${deep}}}`,
    'is nested more than 200 levels deep, which is not archived in any form',
  ],
])(
  'a history with an odd record gives all its others, and a gap of its session: %#',
  fault('F-60'),
  async (odd, reason) => {
    const [good = ''] = rig.state.jobIds('ann', session);
    answering(
      'getHistory',
      `{"page_size":100,"total_items":2,"records":[${odd},{"job_id":"${good}"}]}`,
    );
    const { summary, error, failures } = await rig.run({ users: ['ann'], concurrency: 1 });
    expect(error).toBeUndefined();
    expect([...failures]).not.toContain('unreachable');
    expect(summary).toMatchObject({ status: 'gaps', jobs: { archived: 5 } });
    expect(summary.gaps).toMatchObject([
      { session, status: 'incomplete', reason: expect.stringContaining(reason) },
    ]);
    rig.emulator.faults.api = [];
    const again = await rig.run({ users: ['ann'] });
    expect(again.summary).toMatchObject({ status: 'complete', jobs: { archived: 2 } });
  },
);

it.each([
  ['another session', '{"session_id":"other","records":[]}', 'the page is of another session'],
  ['no records', '{"total_items":0}', 'the page has no list of records'],
  ['nothing', 'null', 'the answer has no data'],
])(
  'a history that is of %s is a gap of its session',
  fault('F-60'),
  async (_what, data, reason) => {
    answering('getHistory', data);
    const { summary, error, failures } = await rig.run({ users: ['ann'], concurrency: 1 });
    expect(error).toBeUndefined();
    expect([...failures]).not.toContain('unreachable');
    expect(summary).toMatchObject({ status: 'gaps', jobs: { archived: 4 } });
    expect(summary.gaps).toMatchObject([{ session, reason: expect.stringContaining(reason) }]);
  },
);

it(
  'a session that was asked for by its id and comes as another one is a gap',
  fault('F-60'),
  async () => {
    answering('getSession', '{"id":"another"}');
    const [first = ''] = rig.state.sessionIds('ann');
    const { summary } = await rig.run({ users: ['ann'], sessions: [first, session] });
    expect(summary).toMatchObject({ status: 'gaps', jobs: { archived: 2 } });
    expect(summary.gaps).toMatchObject([
      { session, reason: expect.stringContaining('the answer is about "another"') },
    ]);
  },
);

it('a list of datasets with odd records shows all others, and a gap for each that is odd', async () => {
  const texts = { project: 'demo', creator: 'ann', name: 'n', description: 'd', summary: 's' };
  const counts = { synched_count: 1, invalid_count: 0, synching_count: 0 };
  const dataset = { ...texts, ...counts, exploration_questions: [], keywords: [] };
  for (const id of ['first', 'last']) rig.state.putDataset({ ...dataset, id });
  const odd = [`{"id":"..","name":"climbs"}`, '{"id":"\\ud800"}', `{"id":"d","more":${deep}}`];
  const records = ['{"id":"first","name":"n"}', ...odd, '{"id":"last","name":"n"}'].join();
  answering('listDatasets', `{"page_number":1,"total_items":5,"records":[${records}]}`);
  const { summary, error } = await rig.run({ users: ['ann'], withDatasets: true });
  expect(error).toBeUndefined();
  // of ".." the name that the list tells is kept
  expect(summary).toMatchObject({ status: 'gaps', jobs: { archived: 6 }, rows: { datasets: 3 } });
  const reasons = summary.gaps.map(({ reason }) => reason).join('\n');
  expect(reasons).toContain('which is not valid text');
  expect(reasons).toContain(
    'is nested more than 200 levels deep, which is not archived in any form',
  );
  expect(reasons).toContain('".."');
});

it.each([(asked: number) => asked + 1, () => 0, () => 1, () => 2_564_753_200])(
  'an echo of another page number is a gap, and everything is archived: %#',
  fault('F-58'),
  async (echo) => {
    rig.emulator.faults.echoedPageNumber = echo;
    for (let i = 0; i < 25; i++) rig.state.addJob('ann', session);
    const { summary, error } = await rig.run({ users: ['ann'], pageSize: 10 });
    expect(error).toBeUndefined();
    expect(summary).toMatchObject({ status: 'gaps', jobs: { archived: 31 } });
    expect(summary.gaps.map(({ reason }) => reason)).toContainEqual(
      expect.stringContaining(`but the answer is page ${echo(1)}`),
    );
    expect(rig.emulator.stats.totalRequests).toBeLessThan(40);
  },
);
