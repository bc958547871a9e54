/** Somebody whom a request is about is erased for another one: what is made for the request says so, and names nobody. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const SAID = '1 user of the request was erased';

let people: SearchRig;
beforeEach(async () => {
  people = await SearchRig.start();
  const { rig } = people;
  for (const user of ['ada', 'ben']) people.talk(user, `s-${user}`, 'Sales', [{ id: 'j-1' }]);
  await rig.export({ users: ['ada', 'ben'] });
  const whom = ['--user', 'ada', '--user', 'ben', '--by', 'Dana', '--reason', 'Art. 15'];
  await cli(['request', 'new', rig.out, 'Both', ...whom]);
  const erased = await cli([
    ...['erase', rig.out, '--user', 'ben', '--reason', 'Art. 17', '--by', 'Dana', '--yes'],
  ]);
  expect(erased.exitCode, erased.stderr).toBe(0);
});
afterEach(() => people[Symbol.asyncDispose]());

it.each(['evidence', 'report', 'workbook', 'search', 'copy'])(
  'what %s makes of a request says how many of those whom it is about were erased',
  async (command) => {
    const { out, directory } = people.rig;
    const key = join(directory, 'key');
    await writeFile(key, 'k'.repeat(40));
    const place = join(directory, command === 'workbook' ? 'made.xlsx' : 'made');
    const given = {
      evidence: ['--out', place, '--by', 'Dana'],
      report: ['--out', place, '--by', 'Dana'],
      workbook: ['--out', place, '--by', 'Dana'],
      search: ['sales', '--by', 'Dana'],
      copy: [place, '--by', 'Dana', '--pseudonymise', key],
    }[command] as string[];
    const made = await cli([command, out, ...given, '--request', 'Both']);
    expect(made.stdout, made.stderr).toContain(`Not complete, by decision: ${SAID}`);
    expect(made.exitCode).toBe(0);
    if (command === 'evidence') {
      expect(await readFile(join(place, 'data', 'README.txt'), 'utf8')).toContain(SAID);
    }
    const { caveats } = await cliJson<{ readonly caveats: readonly Caveat[] }>([
      ...['report', out, '--user', 'ada', '--out', join(directory, 'other')],
    ]);
    expect(caveats.map(({ kind }) => kind)).not.toContain('erased_of_request');
  },
);
