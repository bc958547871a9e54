/** A word that stands in a cited passage alone: the excerpt shows it, and what is said of the place includes passages. */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { readXlsx } from 'hucre/xlsx';
import { expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

const PASSAGE = 'up to now the osprey clause holds';
const WHERE = 'the answer with its sources, cited passages and proposed questions';

it('a search shows it, whatever else its block has, and tells its place as with passages', async () => {
  await using people = await SearchRig.start();
  people.talk('ada', 's-1', 'Terms', [{ question: 'Which terms?', cited: PASSAGE }]);
  await people.rig.archived();
  const { out, directory } = people.rig;
  const { stdout } = await cli(['search', out, 'osprey']);
  expect(stdout.split('\n').slice(3, 7)).toEqual([
    expect.stringMatching(/^2026-01-10 12:00 UTC {2}ada {2}Terms$/),
    `  ${PASSAGE}`,
    `  found in ${WHERE}`,
    `  session s-1, job ${people.rig.state.jobIds('ada', 's-1')[0] ?? ''}`,
  ]);
  // the name of a source is in the same block
  const found = await cliJson<{ readonly hits: object[] }>(['search', out, 'terms']);
  expect(found.hits).toMatchObject([{ excerpt: 'Which terms?' }]);
  for (const [word, excerpt] of [
    ['osprey', PASSAGE],
    ['pdf', 'terms.pdf'],
  ] as const) {
    const { hits } = await cliJson<{ readonly hits: object[] }>(['search', out, word]);
    expect(hits).toMatchObject([{ matched_in: ['answer'], excerpt }]);
  }
  const workbook = join(directory, 'ada.xlsx');
  await cli(['workbook', out, '--out', workbook, '--user', 'ada', '--match', 'osprey']);
  const { sheets } = await readXlsx(await readFile(workbook));
  const conversations = sheets.find(({ name }) => name === 'Conversations')?.rows ?? [];
  const column = conversations[0]?.indexOf('Found in') ?? -1;
  expect(conversations[1]?.[column]).toBe(WHERE);
  const { pack } = await handOver(people.rig, '--match', 'osprey');
  expect(await pack.filesWith(`found in: ${WHERE}\n`)).toHaveLength(1);
});
