/** Gaps that somebody has accepted fail no report, workbook or pack, as they fail no run; whoever gets these still learns of them. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

it('ends with 0, proposes no export, and still counts them, once all are accepted', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-1', 'Plans', [{ question: 'The plan?', table: 'lost.csv', csv: null }]);
  people.talk('ada', 's-2', 'Others', [{ question: 'More?', table: 'gone.csv', csv: null }]);
  await people.rig.export();
  const { out, directory } = people.rig;
  let made = 0;
  const outcomes = async () => {
    const all = [];
    for (const command of ['report', 'workbook', 'evidence']) {
      const place = join(directory, `${command}-${made++}${command === 'workbook' ? '.xlsx' : ''}`);
      const { exitCode, stdout } = await cli([command, out, '--out', place, '--user', 'ada']);
      const gaps = /^ {2}gaps +(.*)$/m.exec(stdout)?.[1];
      all.push([exitCode, gaps, stdout.includes('--retry-gaps'), stdout.startsWith('With gaps: ')]);
    }
    return all;
  };
  const accept = (...words: string[]) =>
    cli(['gap', 'accept', out, ...words, '--reason', 'ticket 7', '--by', 'Grace Hopper', '--yes']);
  const named = `jobvault status ${out} --user ada names them`;
  await accept('--session', 's-1');
  expect(await outcomes()).toEqual([
    [3, '2, on a page of their own; 1 accepted', true, true],
    [3, `2; ${named}; 1 accepted`, true, true],
    [3, '2, named in data/gaps.csv; 1 accepted', true, true],
  ]);
  await accept('--session', 's-2');
  expect(await outcomes()).toEqual([
    [0, '2, on a page of their own; all accepted', false, true],
    [0, `2; ${named}; all accepted`, false, true],
    [0, '2, named in data/gaps.csv; all accepted', false, true],
  ]);
});
