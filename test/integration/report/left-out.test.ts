/** A job that a period cannot judge is left out and named: it is no gap, whatever is made of the archive. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const WHAT = ['--user', 'ada', '--match', 'plan', '--to', '2026-01-11'];

async function withUndatedJob(): Promise<SearchRig> {
  const people = await SearchRig.start();
  people.talk('ada', 's-1', 'Plans', [
    { question: 'The plan?' },
    { question: 'Another plan?', id: 'without-time' },
  ]);
  await people.rig.export();
  return people;
}

it('is called the same in a pack, a report, a workbook and the record of the request', async () => {
  await using people = await withUndatedJob();
  const { rig } = people;
  const name = 'Matter 7';
  const request = ['--reason', 'Art. 15', '--by', 'Dana', ...WHAT];
  await cli(['request', 'new', rig.out, name, ...request]);
  const made = async (command: string, out: string, ...words: string[]) => {
    const at = ['--out', join(rig.directory, out)];
    const told = await cli([command, rig.out, ...at, ...words]);
    const json = await cli([
      command,
      rig.out,
      '--out',
      join(rig.directory, `2${out}`),
      ...words,
      '--json',
    ]);
    const {
      status,
      gaps,
      jobs_left_out: leftOut,
    } = JSON.parse(json.stdout) as Record<string, unknown>;
    return {
      exits: [told.exitCode, json.exitCode],
      facts: { status, gaps, leftOut },
      says: told.stdout
        .split('\n')
        .filter((line) => /^W|^ +gaps |^Next/.test(line))
        .map((line) => line.replace(/: the .*|: evidence .*/, '')),
    };
  };
  const same = {
    exits: [3, 3],
    facts: { status: 'left-out', gaps: 0, leftOut: 1 },
  };
  const says = (where: string): unknown[] => [
    'Without 1 job whose date is unknown',
    expect.stringMatching(new RegExp(`^ +gaps +none known; 1 job left out, named ${where}$`)),
  ];
  expect(await made('evidence', 'pack', '--request', name)).toEqual({
    ...same,
    says: says('in data/gaps.csv'),
  });
  expect(await made('workbook', 'ada.xlsx', '--request', name)).toEqual({
    ...same,
    says: says('on its cover'),
  });
  expect(await made('report', 'report', ...WHAT)).toEqual({
    ...same,
    says: says('on its first page'),
  });
  const { stdout } = await cli(['request', 'show', rig.out, name]);
  const works = stdout.split('\n').filter((line) => /^ +(pack|workbook) /.test(line));
  expect(works).toHaveLength(4);
  for (const line of works) {
    expect(line).toContain('; no gap; left out: 1 job whose date is unknown; digest ');
  }
  const shown = await cli(['request', 'show', rig.out, name, '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({
    packs: Array(4).fill({ gaps: 0, time_unknown: 1 }),
  });
  const page = await readFile(join(rig.directory, 'report', 'index.html'), 'utf8');
  expect(page).toContain(
    '<div class="tile gaps"><dt>Gaps</dt><dd><b>0</b> <span><a href="#/gaps">none known; the list has 1 job left out</a></span></dd></div>',
  );
  expect(page).not.toContain('Gaps by status</h2>');
});
