/** A service whose file URLs carry a parameter that nobody knows: bytes decide what it means. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start({ urlTtlMs: 60_000 });
  for (const key of ['a.csv', 'b.csv', 'get?id=1', 'get?id=2']) {
    rig.state.putFile(key, `name\n${key}\n`);
  }
});
afterEach(() => rig[Symbol.asyncDispose]());

const export_ = (options = {}): Promise<ExportSummary> => rig.rig.export(options);
const hashes = async () =>
  (await rig.rig.rows('artifacts')).map((row) => [row['job_version'], row['sha256']]);

describe('a parameter that changes with every read', () => {
  beforeEach(async () => {
    rig.emulator.faults.changingUrlParameter = 'auth_key';
    rig.addSession('ann', 's1', { files: ['a.csv', 'b.csv'] });
    rig.addSession('ann', 's2', { files: ['get?id=1', 'get?id=2'] });
    expect(await export_()).toMatchObject({ status: 'complete', artifacts: { stored: 4 } });
  });

  it(
    'makes no job look changed: nothing is written again, with --full neither',
    fault('F-44'),
    async () => {
      const tables = await rig.rig.files('tables');
      for (const options of [{}, { full: true }]) {
        expect(await export_(options)).toMatchObject({
          status: 'complete',
          rows: {},
          jobs: { archived: 0 },
          sessions: { unchanged: 2 },
        });
      }
      expect(await rig.rig.files('tables')).toEqual(tables);
    },
  );

  it('hinders no deletion of what the bytes prove', fault('F-44'), async () => {
    expect(outcomes(await rig.pruned())).toEqual({ s1: 'deleted', s2: 'deleted' });
    expect(rig.left()).toEqual([]);
  });

  it('hides no file that has been replaced under the same path', fault('F-44'), async () => {
    rig.state.putFile('b.csv', 'name\nanother\n');
    expect(outcomes(await rig.pruned())).toEqual({ s1: 'changed', s2: 'deleted' });
    expect(await export_({ full: true })).toMatchObject({ jobs: { archived: 1 } });
    expect(outcomes(await rig.pruned())).toEqual({ s1: 'deleted' });
  });

  it(
    'deletes nothing where the file cannot be had to compare it, and says so',
    fault('F-44'),
    async () => {
      rig.emulator.faults.files = [{ key: 'b.csv', answer: { kind: 'status', status: 404 } }];
      const summary = await rig.pruned();
      expect(outcomes(summary)).toEqual({ s1: 'files', s2: 'deleted' });
      expect(summary.sessions[0]?.detail).toMatch(
        /^whether a file is still the archived one is not known; job \S+: 127\.0\.0\.1\S* answered 404$/,
      );
      const doubtful = await export_({ full: true });
      expect(doubtful).toMatchObject({
        status: 'gaps',
        jobs: { archived: 0 },
        gaps: [
          { session: 's1', role: 'answer', block_index: 1, file_index: 0, status: 'doubtful' },
        ],
      });
      expect(await export_()).toMatchObject({ status: 'gaps', gaps: [{ status: 'doubtful' }] });
      rig.emulator.faults.files = [];
      expect(outcomes(await rig.pruned())).toEqual({ s1: 'gap' });
      expect(await export_()).toMatchObject({
        status: 'complete',
        jobs: { archived: 0 },
        gaps: [],
      });
      expect(outcomes(await rig.pruned())).toEqual({ s1: 'deleted' });
    },
  );
});

it(
  'a URL that has run out is found again by its place, whatever its query says now',
  fault('F-44'),
  async () => {
    rig.emulator.faults.changingUrlParameter = 't';
    rig.addSession('ann', 's', { files: ['get?id=1', 'get?id=2'] });
    // what the page hands out is dead before it is used
    rig.emulator.faults.files = [{ first: 2, answer: { kind: 'status', status: 403 } }];
    expect(await export_()).toMatchObject({
      status: 'complete',
      artifacts: { stored: 2, expired: 0 },
    });
    expect(rig.emulator.stats.requests.getHistory).toBeGreaterThan(1);
    const places = (await rig.rig.rows('artifacts')).map((row) => [
      row['block_index'],
      row['sha256'],
    ]);
    expect(places.sort()).toEqual([
      [0, sha256Hex('name\nget?id=1\n')],
      [1, sha256Hex('name\nget?id=2\n')],
    ]);
  },
);

it(
  'two files that differ in their query string only are two files, each stored',
  fault('F-45'),
  async () => {
    rig.addSession('ann', 's', { files: ['get?id=1', 'get?id=2'] });
    expect(await export_()).toMatchObject({ artifacts: { stored: 2, reused: 0 } });
    expect(new Set((await hashes()).map(([, sha256]) => sha256)).size).toBe(2);
  },
);

describe('a parameter that is edited', () => {
  const OLD = 48 * 3_600_000;

  async function withMessage(where: 'question' | 'answer', text: string) {
    const job = rig.state.newJobId(rig.rig.clock.now() - OLD);
    const block = { type: 'MESSAGE', content: text, stage: 'Respond' };
    const other = { type: 'MESSAGE', content: 'x', stage: 'Respond' };
    const blocks = (own: boolean) => ({ blocks: [own ? block : other] });
    rig.state.addSession('ann', { id: 's' }, [
      { job_id: job, question: blocks(where === 'question'), answer: blocks(where === 'answer') },
    ]);
    await export_();
    return () => {
      rig.state.changeJob('ann', 's', job, (record) => ({
        ...(JSON.parse(JSON.stringify(record).replaceAll('gold', 'silver')) as typeof record),
      }));
    };
  }

  it.each([
    ['question', 'Compare https://shop.example/plans?policy=gold'],
    ['answer', 'See [plans](https://shop.example/plans?expires=gold&signature=1).'],
    ['answer', 'https://shop.example/plans?se=gold'],
  ] as const)(
    'in the text of a %s is a new version, and holds the deletion up',
    fault('F-46'),
    async (where, text) => {
      const edit = await withMessage(where, text);
      edit();
      expect(outcomes(await rig.pruned())).toEqual({ s: 'changed' });
      const words = ['verify', rig.out, '--against-service', '--base-url', rig.emulator.baseUrl];
      expect((await cli(words)).stdout).toMatch(/^ +changed +1 question$/m);
      expect(await export_({ full: true })).toMatchObject({ jobs: { archived: 1 } });
      expect(outcomes(await rig.pruned())).toEqual({ s: 'deleted' });
      const raw = await rig.rig.rows('raw_jobs');
      const records = raw.map((row) => String(row['record']));
      expect(records.filter((record) => record.includes('silver'))).toHaveLength(1);
      expect(records.filter((record) => record.includes('gold'))).toHaveLength(1);
    },
  );
});

describe('what is seen and not fetched', () => {
  beforeEach(() => {
    const job = rig.state.newJobId(rig.rig.clock.now() - 48 * 3_600_000);
    const content = '![chart](sandbox:/mnt/data/chart.png)';
    const block = { type: 'MESSAGE', content, stage: 'Respond' };
    rig.state.addSession('ann', { id: 's' }, [
      { job_id: job, question: { blocks: [] }, answer: { blocks: [block] } },
    ]);
  });

  it('is a gap of its own, and blocks the deletion', async () => {
    expect(await export_()).toMatchObject({
      status: 'gaps',
      artifacts: { not_fetched: 1 },
      gaps: [{ kind: 'MARKDOWN_IMAGE', status: 'not_fetched', role: 'answer', file_index: 0 }],
    });
    expect(outcomes(await rig.pruned())).toEqual({ s: 'gap' });
    const acceptUnfetched = new Set(['CHART_INFO']);
    expect(outcomes(await rig.pruned({ rules: { all: true, acceptUnfetched } }))).toEqual({
      s: 'gap',
    });
  });

  it('is told and counted, and no more, where its kind is accepted', async () => {
    const acceptUnfetched = new Set(['MARKDOWN_IMAGE']);
    expect(await export_({ acceptUnfetched })).toMatchObject({
      status: 'incomplete-by-decision',
      users: { complete: 0, incomplete_by_decision: 1 },
      artifacts: { not_fetched: 1 },
      gaps: [{ kind: 'MARKDOWN_IMAGE', status: 'not_fetched', accepted: true }],
    });
    const summary = await rig.pruned({ rules: { all: true, acceptUnfetched } });
    expect(outcomes(summary)).toEqual({ s: 'deleted' });
  });
});
