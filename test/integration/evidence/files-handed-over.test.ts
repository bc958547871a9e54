/** The record of a request says how many files were handed over for it. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

it('a request counts the files of what was made for it as that counts them', async () => {
  await using people = await SearchRig.start();
  people.talk('cyd', 's-cyd', 'Cyd', [
    { question: 'twice the same', table: 'one', stepTable: 'again', csv: 'a\n1\n' },
    { question: 'another', table: 'two', csv: 'a\n2\n' },
    { question: 'one that is lost', table: 'lost', csv: null },
  ]);
  await people.rig.export();
  const { out, directory } = people.rig;
  const why = ['--reason', 'Art. 15', '--by', 'Dana'];
  await cli(['request', 'new', out, 'Files', '--user', 'cyd', ...why]);
  const making = ['--request', 'Files', '--by', 'Dana', '--allow-lost-files'];
  const { summary } = await handOver(people.rig, ...making);
  const made = (form: string, place: string) =>
    cliJson([form, out, '--out', join(directory, place), ...making], 3);
  const report = await made('report', 'report');
  await made('workbook', 'cyd.xlsx');
  expect([summary(), report]).toMatchObject([{ artifacts: 2 }, { artifacts: 2 }]);
  expect(await cliJson(['request', 'show', out, 'Files'])).toMatchObject({
    packs: [
      { form: 'pack', artifacts: 2 },
      { form: 'report', artifacts: 2 },
      { form: 'workbook', artifacts: 0 },
    ],
  });
  const { stdout } = await cli(['request', 'show', out, 'Files']);
  expect(stdout).toMatch(/^ {2}pack .*: 1 conversation, 3 questions, 2 files of commit \d;/m);
});
