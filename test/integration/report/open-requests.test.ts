/** A report says of an open request what `status` says: what is left of it after an erasure, and what may be back. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

it('a report says of open requests what status and request list say', async () => {
  await using people = await SearchRig.start();
  for (const user of ['ada', 'ben', 'cas', 'dan']) {
    people.talk(user, `${user}-1`, 'Sales', [{ question: 'the condor' }]);
    people.talk(user, `${user}-2`, 'Costs', [{ question: 'the falcon' }]);
  }
  await people.rig.archived();
  const { out } = people.rig;
  const run = async (...words: string[]) => {
    const [command = '', ...rest] = words;
    const { exitCode, stderr } = await cli([command, ...rest]);
    expect([exitCode, stderr.split('\n').filter((line) => line.includes('error'))]).toEqual([
      0,
      [],
    ]);
  };
  for (const user of ['ada', 'ben', 'cas']) {
    const why = ['--reason', 'Art. 17', '--by', 'Grace'];
    await run('request', 'new', out, `Of ${user}`, '--user', user, ...why);
  }
  await run('hold', 'add', out, '--session', 'ben-1', '--reason', 'audit', '--by', 'Dana');
  await run('erase', out, '--request', 'Of ada', '--yes', '--by', 'Dana');
  await run('erase', out, '--request', 'Of ben', '--except-held', '--yes', '--by', 'Dana');
  await run('erase', out, '--request', 'Of cas', '--yes', '--by', 'Dana');
  // what exports did not skip
  await people.rig.export({ users: ['cas', 'dan'] });
  const page = join(people.rig.directory, 'report');
  await cli(['report', out, '--out', page]);
  const html = await readFile(join(page, 'index.html'), 'utf8');
  const card = /<h2>Open requests<\/h2><ul>(.*?)<\/ul>/s.exec(html)?.[1] ?? '';
  const made = (line: string) => line.slice(line.indexOf('no pack yet'));
  const told = [...card.matchAll(/<li>(.*?)<\/li>/g)].map(([, line = '']) => made(line));
  const status = (await cli(['status', out])).stdout;
  expect(told).toEqual([...status.matchAll(/open request .*/g)].map(([line]) => made(line)));
  expect(told).toMatchObject([
    expect.stringContaining('everything that it is about was erased'),
    expect.stringContaining('the rest is on hold'),
    expect.stringContaining('archived again since commit'),
  ]);
});
