/** A budget that ends in the middle of a person whom two spellings list: a conversation counts once, and how the run ended is one word. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const CONVERSATIONS = 4;

let people: SearchRig;
let run: string[];
beforeEach(async () => {
  people = await SearchRig.start();
  const { rig } = people;
  for (let n = 1; n <= CONVERSATIONS; n++) {
    for (const user of ['Kim', 'kim']) people.talk(user, `s-${n}`, 'Sales', [{ id: `j-${n}` }]);
  }
  people.talk('ada', 's-ada', 'Lost', [{ table: 'lost.csv', csv: null }]);
  const file = join(rig.directory, 'users.txt');
  await writeFile(file, 'Kim\nkim\nada\n');
  run = ['export', '--base-url', rig.emulator.baseUrl, '--out', rig.out, '--users-file', file];
  expect((await cli(run)).exitCode).toBe(3);
});
afterEach(() => people[Symbol.asyncDispose]());

it.each([5, 6, 7, 8, 9, 10])(
  'with %i requests each conversation is checked or left once, and the run has one outcome',
  async (requests) => {
    const { out } = people.rig;
    const words = [...run, '--max-requests', `${requests}`, '--json'];
    const {
      sessions,
      budget,
      users,
      status,
      run: id,
    } = JSON.parse((await cli(words)).stdout) as ExportSummary;
    const { listed, unchanged, failed } = sessions;
    const left = budget?.left.sessions ?? 0;
    expect(listed).toBeLessThanOrEqual(CONVERSATIONS + 1);
    expect([requests, unchanged + failed + left]).toEqual([requests, listed]);
    const { rows } = await cliJson<{ rows: readonly unknown[] }>([
      ...['query', out, `SELECT outcome FROM runs WHERE run_id = '${id}'`],
    ]);
    expect([requests, rows]).toEqual([requests, [{ outcome: status }]]);
    const isAllRead = users.partly + (budget?.left.users ?? 0) === 0;
    expect(status).toBe(isAllRead ? 'gaps' : 'not_all_read');
  },
);
