/** What one output says of a user or a conversation, the others say, too: over an archive with every kind of caveat. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArchive } from '../../../src/library/operations.js';
import { TOOLS } from '../../../src/mcp/tools.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { CaveatsRig } from '../../support/rigs/caveats-rig.js';

let rig: CaveatsRig;
beforeAll(async () => {
  rig = await CaveatsRig.start();
}, 60_000);
afterAll(() => rig[Symbol.asyncDispose]());

async function said(...words: string[]): Promise<string> {
  return (await cli(words)).stdout.replace(/\s+/g, ' ');
}

it.each(['ada', 'Ada', 'ADA'])(
  'the summary of a pack of the spelling %s calls it as whole as the README does',
  async (user) => {
    const out = rig.beside(`pack-${Buffer.from(user).toString('hex')}`);
    await cli(['evidence', rig.out, '--user', user, '--allow-lost-files', '--out', out]);
    const summary = await readFile(join(out, 'data', 'summary.csv'), 'utf8');
    const [names = '', row = ''] = summary.split('\r\n');
    const readme = await readFile(join(out, 'data', 'README.txt'), 'utf8');
    const word = row.split(',')[names.split(',').indexOf('complete')];
    const headline = readme.split('\n\n')[1] ?? '';
    expect([word, headline.startsWith('Not proven complete')]).toEqual(
      user === 'ada' ? ['no', false] : ['not proven', true],
    );
  },
);

it('an assistant shows a conversation by the beginning of its id, as the command line does', async () => {
  await using archive = await openArchive(rig.out);
  const limits = { memoryBytes: 5e8, maxFetchBytes: 1e9 };
  const call = { archive, limits, onProgress: () => undefined };
  const show = TOOLS.find(({ name }) => name === 'show')!;
  const answer = await show.run(call, { session: 's-othe', limit: 20, offset: 0 });
  expect(answer.facts).toMatchObject({ session: { session_id: 's-other' } });
  await expect(show.run(call, { session: 's-', limit: 20, offset: 0 })).rejects.toThrow(
    /^"s-" is too short: \d+ ids begin with it/,
  );
});

it('status of one spelling says of a conversation which other spelling lists it', async () => {
  const ada = await said('status', rig.out, '--user', 'ada');
  expect(ada).toContain('s-empty complete, 0 questions, also listed under Ada');
  const other = await said('status', rig.out, '--user', 'Ada');
  expect(other).toContain('s-empty complete, 0 questions, also listed under ada');
  const both = await said('status', rig.out, '--user', 'ada', '--user', 'Ada');
  expect(both).toContain('s-empty complete, 0 questions, counts for ada');
  expect(both).toContain('s-empty complete, 0 questions, also listed under Ada');
});

it('a search of a period counts a conversation in doubt only with a question in it', async () => {
  const told = async (from: string, to: string) =>
    said('search', rig.out, 'falcon', '--from', from, '--to', to);
  const inDoubt = '1 conversation that may be of the period is in doubt';
  const wasSearched = '1 conversation that was searched is in doubt';
  expect(await told('2026-01-17', '2026-01-18')).toContain(wasSearched);
  const before = await told('2026-01-10', '2026-01-11');
  expect([before.includes(inDoubt), before.includes(wasSearched)]).toEqual([false, false]);
});

it('the list of gaps can be of one user, and names no other', async () => {
  const all = JSON.parse((await cli(['gap', 'list', rig.out, '--json'])).stdout) as Gaps;
  expect(all.gaps).toHaveLength(3);
  for (const [user, count] of [
    ['ada', 3],
    ['ben', 0],
  ] as const) {
    const run = await cli(['gap', 'list', rig.out, '--user', user, '--json']);
    expect([user, (JSON.parse(run.stdout) as Gaps).gaps.length]).toEqual([user, count]);
  }
  expect(await said('gap', 'list', rig.out, '--user', 'ben')).toContain(
    'Neither ben nor a session of ',
  );
  const unknown = await cli(['gap', 'list', rig.out, '--user', 'nobody-at-all']);
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('has no user')]);
});

interface Gaps {
  readonly gaps: readonly unknown[];
}

it('a report and a workbook name the commit whose data they have', async () => {
  const lost = '--allow-lost-files';
  const report = ['report', rig.out, lost, '--out', rig.beside('told-report')];
  const book = ['workbook', rig.out, lost, '--user', 'ada', '--out', rig.beside('told.xlsx')];
  for (const words of [report, book]) expect(await said(...words)).toMatch(/ as of commit \d+ /);
});
