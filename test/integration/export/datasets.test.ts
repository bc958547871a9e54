/** The project's datasets beside the histories that use them. */
import { expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { duckDbRows } from '../../support/tables/duckdb-rows.js';
import { doubledKeys, ExportRig } from '../../support/rigs/export-rig.js';

const DAY_MS = 86_400_000;

it('an export gives every source a name to join to, one row a dataset, for any number of users', async () => {
  await using rig = await ExportRig.start({ users: 3, sessions: 3, jobs: 4 });
  const summary = await rig.export({ withDatasets: true });
  const datasets = rig.state.datasets();
  expect(summary).toMatchObject({ status: 'complete', rows: { datasets: datasets.length } });
  expect(rig.emulator.stats.requests).toMatchObject({
    listDatasets: 2, // the second shows that the total counts the whole list
    getDatasetOverview: datasets.length,
    getDatasetStatus: datasets.length,
  });
  const rows = await rig.rows('datasets');
  expect(doubledKeys('datasets', rows)).toEqual([]);
  const [first] = datasets;
  expect(rows.find((row) => row['dataset_id'] === first?.id)).toMatchObject({
    name: first?.name,
    description: first?.description,
    summary: first?.summary,
    keywords: JSON.stringify(first?.keywords),
    exploration_questions: JSON.stringify(first?.exploration_questions),
    synched_count: first?.synched_count,
    invalid_count: first?.invalid_count,
    synching_count: first?.synching_count,
    extra_json: null,
  });
  const table = (name: string): string =>
    `read_parquet('${rig.out}/tables/${name}/dt=*/*.parquet', hive_partitioning = false)`;
  const [nameless] = await duckDbRows(
    `SELECT count(*)::INTEGER AS n, count(d.name)::INTEGER AS named
       FROM ${table('sources')} s LEFT JOIN ${table('datasets')} d USING (dataset_id)`,
  );
  expect(nameless?.['n']).toBe((await rig.rows('sources')).length);
  expect(Number(nameless?.['n'])).toBeGreaterThan(0);
  expect(nameless?.['named']).toBe(nameless?.['n']);
  expect(await rig.verify()).toMatchObject({
    problems: [],
    orphans: [],
    tableRows: { datasets: datasets.length },
  });
});

it('an export with datasets writes a dataset again when it has changed, and only then', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 1 });
  await rig.export({ withDatasets: true });
  rig.clock.ahead += DAY_MS;
  const same = await rig.export({ withDatasets: true });
  expect(same.rows['datasets']).toBeUndefined();
  const [changed] = rig.state.datasets();
  if (!changed) throw new Error('there are no datasets');
  rig.state.putDataset({ ...changed, description: 'Now with 2026.' });
  rig.clock.ahead += DAY_MS;
  const next = await rig.export({ withDatasets: true });
  expect(next.rows['datasets']).toBe(1);
  const rows = await rig.rows('datasets');
  const versions = rows.filter((row) => row['dataset_id'] === changed.id);
  expect(versions.map((row) => row['description']).sort()).toEqual(
    [changed.description, 'Now with 2026.'].sort(),
  );
  expect((await rig.export({ withDatasets: true })).rows['datasets']).toBeUndefined();
});

it('an unreadable dataset is named among the gaps, keeps its name, and is read next time', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 1, jobs: 1 });
  const [broken] = rig.state.datasets();
  if (!broken) throw new Error('there are no datasets');
  const answer = { kind: 'error', status: 403, code: 1003 } as const;
  rig.emulator.faults.api = [{ operations: ['getDatasetOverview'], pathId: broken.id, answer }];
  const summary = await rig.export({ withDatasets: true });
  expect(summary).toMatchObject({
    status: 'gaps',
    users: { total: 2, complete: 2, failed: 0 },
    gaps: [{ session: null, kind: 'DATASET', dataset: broken.id }],
  });
  const ofBroken = async () =>
    (await rig.rows('datasets')).filter((row) => row['dataset_id'] === broken.id);
  expect(await ofBroken()).toMatchObject([{ name: broken.name, summary: null }]);
  const ended = async () => {
    const { last_export: last } = await cliJson<ArchiveStatus>(['status', rig.out]);
    const { stdout } = await cli(['status', rig.out]);
    const [headline = ''] = stdout.split('\n');
    const how = headline.replace(`${rig.out}: `, '');
    return [
      how,
      last?.outcome,
      last?.dataset_gaps,
      / {2}last export +\S+Z: (.*)/.exec(stdout)?.[1],
    ];
  };
  const again = 'the next export with --with-datasets reads them again';
  expect(await ended()).toEqual([
    'complete; 1 gap of datasets',
    summary.status,
    1,
    `not complete, all 2 users read; 1 gap of datasets, which its summary named; ${again}`,
  ]);
  rig.emulator.faults.api = [];
  rig.clock.ahead += DAY_MS;
  expect(await rig.export({ withDatasets: true })).toMatchObject({
    status: 'complete',
    rows: { datasets: 1 },
  });
  expect(await ofBroken()).toHaveLength(2);
  expect(await ended()).toEqual(['complete', 'complete', 0, 'all 2 users read, no gaps']);
});

it('an export with datasets lists them through another user where the first is refused', async () => {
  await using rig = await ExportRig.start({ users: 2, sessions: 1, jobs: 1 });
  const [refused = ''] = rig.state.userIds();
  rig.emulator.faults.refusedUsers = { [refused]: 300002 };
  const summary = await rig.export({ withDatasets: true });
  expect(summary.rows['datasets']).toBe(rig.state.datasets().length);
  expect(summary.gaps.map(({ kind }) => kind)).toEqual([null]);
});

it('an export puts a sheet of them into the workbook and reads its own JSON lines back', async () => {
  await using rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 1 });
  const formats = ['jsonl', 'xlsx'] as const;
  const first = await rig.export({ withDatasets: true, formats });
  expect(first.rows['datasets']).toBe(rig.state.datasets().length);
  const again = await rig.export({ withDatasets: true, formats });
  expect(again.rows['datasets']).toBeUndefined();
  expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
});
