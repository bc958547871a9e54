/** Gaps that somebody has accepted fail no report, workbook or pack, as they fail no run; whoever gets these still learns of them. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { caveatCounts } from '../../support/tables/caveat-counts.js';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';

it('ends with 0, proposes no export, and still counts them, once all are accepted', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-1', 'Plans', [{ question: 'The plan?', table: 'lost.csv', csv: null }]);
  people.talk('ada', 's-2', 'Others', [{ question: 'More?', table: 'gone.csv', csv: null }]);
  await people.rig.archived();
  const { out, directory } = people.rig;
  let made = 0;
  const outcomes = async () => {
    const all = [];
    for (const command of ['report', 'workbook', 'evidence']) {
      const place = join(directory, `${command}-${made++}${command === 'workbook' ? '.xlsx' : ''}`);
      const words = [command, out, '--out', place, '--user', 'ada', '--json'];
      const { exitCode, stdout } = await cli(words);
      const told = JSON.parse(stdout) as { caveats: readonly Caveat[]; next?: string };
      const counts = caveatCounts(told, 'gap', 'accepted_gap');
      all.push([exitCode, counts, told.next?.includes('--retry-gaps') === true]);
    }
    return all;
  };
  const accept = (...words: string[]) =>
    cli(['gap', 'accept', out, ...words, '--reason', 'ticket 7', '--by', 'Grace Hopper', '--yes']);
  await accept('--session', 's-1');
  expect(await outcomes()).toEqual(Array(3).fill([3, { gap: 1, accepted_gap: 1 }, true]));
  await accept('--session', 's-2');
  expect(await outcomes()).toEqual(Array(3).fill([0, { accepted_gap: 2 }, false]));
});
