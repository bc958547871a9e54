/** Files with doubtful content are named wherever a recipient looks first: nobody finds an empty table by opening it. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readXlsx } from 'hucre/xlsx';
import { expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const NAMED = '“nothing.csv” in “Sales”: an empty file';

it('names them in README.txt, on the first page of a pack and a report, on the terminal, and on the cover of a workbook', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's', 'Sales', [{ question: 'The sales?', table: 'nothing.csv', csv: '' }]);
  people.talk('ada', 't', 'Fine', [{ question: 'The plan?', table: 'plan.csv' }]);
  await people.rig.export();
  const { summary, pack } = await handOver(people.rig, '--user', 'ada');
  expect(summary().doubtful).toEqual({ files: 1, named: [NAMED] });
  expect(await pack.text('data/README.txt')).toContain(
    `\n\nDOUBTFUL FILES: stored as the service sent them, with doubtful content\n\n  ${NAMED}\n\n`,
  );
  const page = await pack.text('data/index.html');
  expect(page).toContain(
    `<h2>Doubtful files: stored as the service sent them, with doubtful content</h2><ul><li>${NAMED}</li></ul>`,
  );
  const made = join(people.rig.directory, 'report');
  const about = ['--user', 'ada', '--reason', 'Art. 15', '--by', 'Dana'];
  await cli(['request', 'new', people.rig.out, 'M 7', ...about]);
  // the second one keeps what the first one has of both conversations
  for (const unchanged of [0, 2]) {
    const words = ['report', people.rig.out, '--request', 'M 7', '--by', 'Dana', '--out', made];
    const report = await cli(words);
    expect(report.stdout).toMatch(
      /^ {2}doubtful +1 file stored as the service sent it: “nothing\.csv” in “Sales”: an empty file$/m,
    );
    expect(report.stdout.includes('  unchanged ')).toBe(unchanged > 0);
    const firstPage = await readFile(join(made, 'index.html'), 'utf8');
    expect(firstPage).toContain('<h1>Report for the request M 7</h1>');
    expect(firstPage).toContain(
      `<h2>Doubtful files: stored as the service sent them, with doubtful content</h2><ul><li>${NAMED}</li></ul>`,
    );
  }
  const out = join(people.rig.directory, 'told');
  const { stdout } = await cli(['evidence', people.rig.out, '--out', out]);
  expect(stdout).toMatch(
    /^ {2}doubtful +1 file stored as the service sent it: “nothing\.csv” in “Sales”: an empty file$/m,
  );
  const none = await cli(['evidence', people.rig.out, '--out', `${out}-2`, '--session', 't']);
  expect(none.stdout).not.toContain('doubtful');
  const sheet = join(people.rig.directory, 'a.xlsx');
  await cli(['workbook', people.rig.out, '--user', 'ada', '--out', sheet]);
  const { sheets } = await readXlsx(await readFile(sheet));
  const rows = sheets[0]?.rows ?? [];
  const at = rows.findIndex(([label]) => label === 'Doubtful files');
  expect(rows.slice(at, at + 2).map((row) => row.slice(0, 3))).toEqual([
    ['Doubtful files', 1, 'of these files: stored as the service sent them, with doubtful content'],
    ['', NAMED, null],
  ]);
});
