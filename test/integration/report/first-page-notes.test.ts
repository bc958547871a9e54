/** What the first page of a report says of answers that may change, and of jobs whose date is unknown, as a pack's does. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

it('names answers that may still change, and jobs that were left out or taken in', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-1', 'Plans', [
    { question: 'The plan?' },
    { question: 'Another plan?', id: 'without-time' },
  ]);
  await people.rig.export();
  const out = join(people.rig.directory, 'report');
  const report = async (...words: string[]) => {
    const at = ['report', people.rig.out, '--out', out, ...words];
    const { stdout } = await cli(at);
    const json = await cli([...at, '--json']);
    const page = await readFile(join(out, 'index.html'), 'utf8');
    const cards = page.matchAll(/<section class="card notes"><h2>([^<]*)<\/h2><ul>(.*?)<\/ul>/gs);
    return {
      unsettled: (JSON.parse(json.stdout) as { jobs_unsettled: number }).jobs_unsettled,
      says: stdout.split('\n').filter((line) => line.startsWith('  may change ')),
      notes: Array.from(cards, ([, heading, lines]) => [heading, lines]),
    };
  };
  const mayChange = {
    unsettled: 1,
    says: [
      expect.stringMatching(
        /^ {2}may change +1 job: new when they were read last, or of unknown age\. An export settles those that have not changed; make the report after it$/,
      ),
    ],
  };
  const note = [
    'May still change',
    '<li>1 answer may not be the last one: when it was read last, nothing showed yet that it had stopped changing; it is marked where it stands</li><li>A report that is made after a later export can tell</li>',
  ];
  const job = 'ada, “Plans”, at an unknown time: job without-time in session s-1';
  expect(await report()).toEqual({ ...mayChange, notes: [note] });
  const period = ['--match', 'plan', '--to', '2026-01-11'];
  expect(await report(...period)).toEqual({
    ...{ unsettled: 0, says: [] },
    notes: [
      ['Left out: nothing tells whether this was asked within the period', `<li>${job}</li>`],
    ],
  });
  expect(await report(...period, '--undated', 'include')).toEqual({
    ...mayChange,
    notes: [
      note,
      ['Taken in: nothing tells whether this was asked within the period', `<li>${job}</li>`],
    ],
  });
});
