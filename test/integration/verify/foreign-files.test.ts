/** Files of file managers in an archive: no command fails over them, none takes them away, and verify and status tell of them. */
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { ulid } from '../../../src/base/ulid.js';
import { systemClock, systemRandom } from '../../../src/base/runtime.js';
import { fault } from '../../support/base/fault.js';

const NAMES = ['.DS_Store', 'desktop.ini', 'Thumbs.db', '._x'];
const HOUSEKEEPING = [
  '_commits',
  '_laps',
  '_leases',
  '_intents',
  '_quarantine',
  `_quarantine/${ulid(systemClock, systemRandom)}`,
  '_erasures',
  `_erasures/${ulid(systemClock, systemRandom)}`,
];

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.state.putFile('a.csv', 'a\n1\n');
  rig.addSession('ann', 'a1', { files: ['a.csv'] });
  rig.addSession('ann', 'a2');
  rig.addSession('bob', 'b1');
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** In every folder of the archive, and in folders that it may have. @returns their paths, ordered */
async function strew(): Promise<string[]> {
  for (const folder of HOUSEKEEPING) await mkdir(join(rig.out, folder), { recursive: true });
  const entries = await readdir(rig.out, { recursive: true });
  const folders = ['.'];
  for (const entry of entries) {
    if ((await stat(join(rig.out, entry))).isDirectory()) folders.push(entry);
  }
  const paths = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  for (const path of paths) await writeFile(join(rig.out, path), 'of a file manager');
  return paths.sort();
}

const left = async (): Promise<string[]> =>
  (await readdir(rig.out, { recursive: true }))
    .filter((path) => NAMES.some((name) => path === name || path.endsWith(`/${name}`)))
    .sort();

// I-1 in FORMAT.md
it(
  'Every command goes on as without them, and leaves them where they are',
  fault('F-66'),
  async () => {
    const paths = await strew();
    const service = ['--base-url', rig.emulator.baseUrl, '--rate', '10000'];
    const commands = [
      ['verify', rig.out, '--repair', '--orphan-age', '1h'],
      ['export', '--out', rig.out, '--user', 'ann', '--user', 'bob', ...service],
      ['compact', rig.out, '--grace', '0s'],
      ['copy', rig.out, rig.path('copy')],
      ['report', rig.out, '--out', rig.path('page')],
      ['evidence', rig.out, '--out', rig.path('pack'), '--user', 'ann'],
      ['workbook', rig.out, '--user', 'ann', '--out', rig.path('a.xlsx')],
      ['search', rig.out, 'anything'],
      ['query', rig.out, 'FROM jobs'],
      ['show', rig.out, 'a1'],
      ['prune', rig.out, '--session', 'a2', '--yes', ...service],
      ['hold', 'add', rig.out, '--user', 'bob', '--reason', 'x'],
      ['hold', 'release', '--yes', rig.out, '--user', 'bob', '--reason', 'x'],
      ['expire', rig.out, '--older-than', '1h', '--user', 'bob', '--yes'],
      ['erase', rig.out, '--user', 'ann', '--yes'],
      ['compact', rig.out],
    ];
    for (const words of commands) {
      const { exitCode, stderr } = await cli(words);
      expect([words[0], exitCode, stderr]).toEqual([words[0], 0, expect.anything()]);
      expect(await left(), words[0]).toEqual(paths);
    }
    expect(rig.left()).toEqual(['a1', 'b1']);
  },
);

it(
  'verify and status say that they are there, and that they are left alone',
  fault('F-66'),
  async () => {
    const paths = await strew();
    const verified = await cliJson<Record<string, unknown>>(['verify', rig.out]);
    expect(verified).toMatchObject({ status: 'intact', problems: [], orphans: [], foreign: paths });
    const status = await cliJson<Record<string, unknown>>(['status', rig.out]);
    expect(status['foreign']).toEqual(paths.filter((path) => path.startsWith('_')));
    for (const [command, count] of [
      ['verify', paths.length],
      ['status', paths.filter((path) => path.startsWith('_')).length],
    ] as const) {
      const { stdout } = await cli([command, rig.out]);
      expect(stdout).toContain(`${count} files not made by jobvault, left alone: `);
    }
  },
);

it('A directory that holds nothing else is as good as empty for a new archive and for a copy', async () => {
  const service = ['--base-url', rig.emulator.baseUrl, '--user', 'bob'];
  const [fresh, copied] = [rig.path('fresh'), rig.path('copied')];
  for (const place of [fresh, copied]) {
    await mkdir(place);
    for (const name of NAMES) await writeFile(join(place, name), 'of a file manager');
  }
  expect((await cli(['export', '--out', fresh, ...service])).exitCode).toBe(0);
  expect((await cli(['copy', rig.out, copied])).exitCode).toBe(0);
  const other = rig.path('other');
  await mkdir(other);
  await writeFile(join(other, 'letter.txt'), 'Dear');
  expect((await cli(['export', '--out', other, ...service])).exitCode).toBe(2);
});
