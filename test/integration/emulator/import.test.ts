/** The histories that the emulator's README shows are served, archived and read as it says. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveSettings } from '../../../src/config/serve-settings.js';
import { startEmulator } from '../../../src/emulator/emulator.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

const readme = await readFile(
  new URL('../../../config/guide/commands.md', import.meta.url),
  'utf8',
);
const example = /```json\n(.*?)```/s.exec(readme)?.[1] ?? '';
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-import-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

it('The example of the README is served, and an export has its tables, files and datasets', async () => {
  const file = join(directory, 'histories.json');
  await writeFile(file, example);
  await using rig = await ExportRig.start({ users: 0, importFiles: [file] });
  expect(rig.state.userIds()).toEqual(['ada']);
  const summary = await rig.export({ withDatasets: true });
  expect(summary.gaps).toEqual([]);
  const [session] = await rig.rows('sessions');
  expect(session).toMatchObject({ name: 'Sales', output_language: 'EN', job_count: 1 });
  const [table] = await rig.rows('artifacts');
  expect(table).toMatchObject({
    name: 'Sales by region',
    status: 'stored',
    table_text: 'region\tsales\nnorth\t12',
  });
  expect(await rig.rows('datasets')).toMatchObject([{ dataset_id: 'd1', name: 'Sales data' }]);
  rig.state.importJson(JSON.stringify({ users: [{ user_id: 'ada', sessions: [{ id: 's1' }] }] }));
  expect(rig.state.jobIds('ada', 's1')).toEqual([]);
});

it('A key that the README does not have is refused, with its name', async () => {
  const file = join(directory, 'odd.json');
  await writeFile(file, '{ "user": [] }');
  await expect(startEmulator({ users: 0, importFiles: [file] })).rejects.toThrow(
    `emulator: ${file} is not a file of histories: `,
  );
});

it('The help of serve shows the shape, which is that of the README, and names the README', () => {
  const { describe: told } = serveSettings.importFiles;
  expect(told).toBe(
    'A JSON file with histories to serve, {"users": [{"user_id": "ada", "sessions": [{"id": "s1", "name": "Sales", "jobs": [{"job_id": …}, …]}]}], "files": {"sales.csv": {"text": …}}}, oldest first; config/guide/commands.md describes the format; repeatable',
  );
  for (const [, key = ''] of told.matchAll(/"(\w+)":/g)) expect(example).toContain(`"${key}":`);
});
