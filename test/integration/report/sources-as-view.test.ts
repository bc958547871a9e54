/** The report's picture of data sources and the view that analysts query count the same sources. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

const source = (name: string, id: string | null, dataset = 'sales') => {
  return { source: name, datasource_id: id, dataset_id: dataset, file_type: 'csv' };
};

it('counts sources by their ids as v_most_used_sources does, also in a copy without names', async () => {
  await using rig = await ExportRig.start();
  const day = 86_400_000;
  const used = (after: number, ...content: object[]) => ({
    job_id: rig.state.newJobId(Date.UTC(2026, 0, 7, 9) + after * day),
    question: { blocks: [{ type: 'MESSAGE', content: 'Hm?' }] },
    answer: {
      blocks: [{ type: 'SOURCES', content, stage: 'Respond', group_id: '', group_name: '' }],
    },
  });
  const session = (id: string, ...jobs: object[]) => ({ id, name: id, jobs });
  // the newer name comes first in the order of ids
  const sessions = [
    session('s1', used(9, source('terms-2026.csv', 'd1')), used(10, source('sales.csv', 'd3'))),
    session('s2', used(0, source('terms.csv', 'd1'), source('terms.csv', 'd1'))),
    session('s3', used(1, source('sales.csv', 'd2')), used(2, source('sales.csv', 'd2'))),
    session('s4', used(3, source('page', null, 'a'), source('page', null, 'b'))),
    session('s5', used(4, source('terms.csv', 'd1'), source('sales.csv', 'd2'))),
    session('s6', used(5, source('sales.csv', 'd2'))),
  ];
  rig.state.importJson(JSON.stringify({ users: [{ user_id: 'ada', sessions }] }));
  await rig.export();
  expect(await drawn(rig, rig.out)).toEqual([
    ['sales.csv (d2)', 4],
    ['terms-2026.csv', 3],
    ['page (type csv, dataset a)', 1],
    ['page (type csv, dataset b)', 1],
    ['sales.csv (d3)', 1],
  ]);
  // the second report keeps what the first has of each conversation
  expect((await drawn(rig, rig.out)).map(([, count]) => count)).toEqual(await counted(rig.out));

  const [key, copy] = ['key', 'copy'].map((name) => join(rig.directory, name)) as [string, string];
  await writeFile(key, 'a'.repeat(32));
  expect((await cli(['copy', rig.out, copy, '--pseudonymise', key])).exitCode).toBe(0);
  const ofCopy = await drawn(rig, copy);
  expect(ofCopy.map(([, count]) => count)).toEqual(await counted(copy));
  const names = ofCopy.map(([name]) => name.replaceAll(/p-\w+/g, 'ID'));
  const unnamed = 'without a name (type csv, dataset ID)';
  expect(names.toSorted()).toEqual(['ID', 'ID', 'ID', unnamed, unnamed]);
});

async function drawn(rig: ExportRig, archive: string): Promise<[string, number][]> {
  const out = join(rig.directory, `report-of-${archive.split('/').at(-1) ?? ''}`);
  expect((await cli(['report', archive, '--out', out])).exitCode).toBe(0);
  const page = await readFile(join(out, 'index.html'), 'utf8');
  const [, picture = ''] = /<h2>Data sources most used<\/h2>(.*?)<\/section>/s.exec(page) ?? [];
  return [...picture.matchAll(/<th[^>]*>(.*?)<\/th>.*?<td[^>]*>(\d+)<\/td>/gs)].map(
    ([, name = '', count]) => [name, Number(count)],
  );
}

async function counted(archive: string): Promise<number[]> {
  const { rows } = await cliJson<{ rows: { questions: string }[] }>([
    ...['query', archive, 'FROM v_most_used_sources'],
  ]);
  return rows.map(({ questions }) => Number(questions));
}
