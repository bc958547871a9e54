/** A file that was stored again after an erasure is one file in every output: as often counted as it is there. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

it('pack, report and workbook count a file once that has two paths in the archive', async () => {
  await using people = await SearchRig.start();
  const asked = (id: string) => [{ question: 'Sales?', id, table: 't.csv', csv: 'a,b\n1,2\n' }];
  people.talk('ana', 's-ana', 'One', asked('j-1'));
  people.talk('ben', 's-ben', 'Two', asked('j-2'));
  await people.rig.archived();
  const { out, directory } = people.rig;
  const why = ['--by', 'Kim', '--reason', 'asked for', '--yes'];
  const erased = await cli(['erase', out, '--session', 's-ana', ...why]);
  expect(erased.exitCode, erased.stderr).toBe(0);
  await people.rig.export();
  const sql =
    'SELECT count(DISTINCT path) AS paths, count(DISTINCT sha256) AS files FROM artifacts';
  const { rows } = await cliJson<{ rows: unknown[] }>(['query', out, sql]);
  expect(rows).toEqual([{ paths: 2, files: 1 }]);

  const place = (name: string) => ['--out', join(directory, name)];
  const pack = await cliJson<{ artifacts: number }>(['evidence', out, ...place('pack')]);
  const report = await cliJson<{ artifacts: number }>(['report', out, ...place('report')]);
  const everybody = ['--user', 'ana', '--user', 'ben'];
  const book = await cliJson<{ artifacts: number }>([
    'workbook',
    out,
    ...everybody,
    ...place('b.xlsx'),
  ]);
  expect([pack.artifacts, report.artifacts, book.artifacts]).toEqual([1, 1, 1]);
  expect(await readdir(join(directory, 'pack', 'data', 'artifacts'))).toHaveLength(1);
  const copies = await readdir(join(directory, 'report', 'data', 'files'), { recursive: true });
  expect(copies.filter((path) => path.endsWith('.csv'))).toHaveLength(1);
});
