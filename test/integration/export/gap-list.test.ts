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

it('shows what nobody has accepted first, as text and as data', async () => {
  await using people = await SearchRig.start();
  const lost = { question: 'Where?', table: 'lost.csv', csv: null };
  for (const user of ['ada', 'ben']) people.talk(user, `s-${user}`, 'Lost', [lost, lost]);
  await people.rig.export();
  type Listed = { gaps: { session_id: string; accepted_at: string | null }[] };
  const listed = async () => (await cliJson<Listed>(['gap', 'list', people.rig.out])).gaps;
  const [first] = await listed();
  const accepted = first?.session_id ?? '';
  const why = ['--reason', 'lost for good', '--by', 'ana', '--yes'];
  await cli(['gap', 'accept', people.rig.out, '--session', accepted, ...why]);
  expect((await listed()).map((gap) => gap.accepted_at === null)).toEqual([
    ...[true, true, false, false],
  ]);
  const { stdout } = await cli(['gap', 'list', people.rig.out, '--max-rows', '2']);
  const rows = stdout.split('\n').filter((line) => line.startsWith('session s-'));
  expect(rows).toHaveLength(2);
  expect(rows.join('\n')).not.toContain(accepted);
});
