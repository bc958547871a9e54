/** A copy that knows days and no times of day judges no period with a time of day, and tells none. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ana', 's-1', 'Costs', [{ question: 'falcon one' }, { question: 'falcon two' }]);
  await people.rig.archived();
});
afterEach(() => people[Symbol.asyncDispose]());

const inRig = (name: string): string => join(people.rig.directory, name);

async function copied(...more: string[]): Promise<string> {
  await writeFile(inRig('key'), 'k'.repeat(40));
  const place = inRig(`copy${more.length}`);
  const words = ['copy', people.rig.out, place, '--pseudonymise', inRig('key'), '--keep-text'];
  await cli([...words, ...more]);
  return place;
}

const ON_THE_TENTH = 'knows the day of each question and no time of day: give days as the limits';

describe('a copy of days', () => {
  it.each([
    ['search', ['falcon', '--from', '2026-01-10T08:00']],
    ['search', ['falcon', '--from', '12h']],
    ['report', ['--to', '2026-01-10T08:00Z']],
    ['workbook', ['--from', '2026-01-10T08:00+02:00']],
  ])('refuses a period with a time of day: %s %j', async (command, words) => {
    const copy = await copied();
    const out = command === 'search' ? [] : ['--out', inRig(`made-${command}.xlsx`)];
    const { exitCode, stderr } = await cli([command, copy, ...words, ...out]);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(ON_THE_TENTH)]);
  });

  it('takes days, and the beginning of one', async () => {
    const copy = await copied();
    for (const from of ['2026-01-11', '2026-01-11T00:00Z', '2026-01-11 00:00 UTC']) {
      const { exitCode, stdout } = await cli(['search', copy, 'falcon', '--from', from]);
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('\n2026-01-11  p-')]);
    }
  });

  it('tells of each question its day, and no midnight', async () => {
    const copy = await copied();
    const { stdout } = await cli(['search', copy, 'falcon']);
    expect(stdout).toMatch(/^2026-01-10 {2}p-/m);
    const [, session = ''] = /session (p-\w+),/.exec(stdout) ?? [];
    const shown = (await cli(['show', copy, session])).stdout;
    expect(shown).toMatch(/^p-\w+, 2026-01-10$/m);
    expect(stdout + shown).not.toContain('00:00');
  });
});

it('a copy that keeps times takes a period with a time of day', async () => {
  const copy = await copied('--keep-times');
  const { exitCode, stdout } = await cli(['search', copy, 'falcon', '--from', '2026-01-10T18:00']);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('\n2026-01-11 12:00 UTC  p-')]);
});
