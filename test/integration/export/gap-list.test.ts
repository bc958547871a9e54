/** A list of many gaps is read by its counts: the first are shown, and all are data. */
import { expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

it('shows the first hundred gaps, and says how many more there are and where', async () => {
  await using people = await SearchRig.start();
  const lost = { question: 'Where?', table: 'lost.csv', csv: null };
  people.talk(
    'ada',
    's-ada',
    'Lost',
    Array.from({ length: 102 }, () => lost),
  );
  await people.rig.export();
  const { stdout } = await cli(['gap', 'list', people.rig.out]);
  const lines = stdout.split('\n');
  expect(lines[0]).toBe('102 gaps');
  expect(lines.filter((line) => line.startsWith('session s-ada, job'))).toHaveLength(100);
  expect(lines.at(-3)).toBe('and 2 more, which --max-rows 0 lists');
  expect(lines.at(-2)).toMatch(/^Next: /);
  const { gaps } = await cliJson<{ gaps: unknown[] }>(['gap', 'list', people.rig.out]);
  expect(gaps).toHaveLength(102);
});
