/** An erased conversation is back only if its own id is archived again: a new one of the same person is none of the erased. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  for (const session of ['a-1', 'a-2', 'a-3', 'a-4']) {
    people.talk('ada', session, session, [{ question: 'the weather' }]);
  }
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const why = ['--reason', 'Matter 9', '--by', 'Dana'];
const eraseAroundHold = async (...words: string[]) => {
  await cli(['hold', 'add', out, '--session', 'a-1', ...why]);
  const erase = ['erase', out, '--user', 'ada', '--except-held', '--yes', ...words];
  expect((await cli(erase)).exitCode).toBe(0);
};
const nightWords = () => {
  const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
  return ['export', '--out', out, '--user', 'ada', '--user', 'ben', ...service];
};
const night = () => cliJson<ExportSummary>(nightWords());

/** How many conversations were erased, as each output counts them. */
const counts = async () => {
  const receipts = await cliJson<{ erasures: { erased: { sessions: number } }[] }>([
    ...['erase', out, '--list'],
  ]);
  const verified = (await cli(['verify', out])).stdout;
  const status = await cliJson<ArchiveStatus>(['status', out]);
  const ofUser = (await cli(['status', out, '--user', 'ada'])).stdout;
  return {
    list: receipts.erasures.reduce((sum, { erased }) => sum + erased.sessions, 0),
    verify: Number(/: (\d+) conversations?, .* receipt /.exec(verified)?.[1]),
    status: status.erased,
    user: ofUser.split('\n')[0],
  };
};

it('a new conversation is not told to be one of the erased ones that exports skip', async () => {
  await eraseAroundHold('--suppress');
  people.talk('ada', 'a-new', 'New', [{ question: 'something new' }]);
  const { stdout, stderr } = await cli(nightWords());
  expect(stdout).toMatch(/^ {2}conversations +3 +1 new, 2 unchanged$/m);
  expect(`${stdout}${stderr}`).not.toContain('erased before');
  expect(stderr).not.toContain('WARN');
  expect(await counts()).toEqual({
    list: 3,
    verify: 3,
    status: 3,
    user: 'ada: not complete, by decision: 3 of 5 conversations were erased',
  });
  people.talk('ada', 'a-newer', 'Newer', [{ question: 'something newer' }]);
  const second = await night();
  expect(second).not.toHaveProperty('maybe_erased_before');
  expect((await counts()).status).toBe(3);
});

it('one that exports skip no more is back by its own id, and is counted as erased no more', async () => {
  await eraseAroundHold('--suppress');
  await night();
  const lift = [
    'erase',
    out,
    '--unsuppress',
    '--yes',
    '--session',
    'a-2',
    '--session',
    'a-3',
    ...why,
  ];
  expect((await cli(lift)).exitCode).toBe(0);
  people.talk('ada', 'a-new', 'New', [{ question: 'something new' }]);
  const { stdout, stderr } = await cli(nightWords());
  const told = '2 conversations that had been erased are archived again';
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    `erased before ${told}: the service still had them`,
  );
  expect(stderr).toContain(told);
  expect(await counts()).toMatchObject({
    status: 1,
    user: expect.stringMatching(/^ada: not complete, by decision: 1 of 5 conversations was erased/),
  });
  const again = await night();
  expect([again.erased_before, again.maybe_erased_before]).toEqual([undefined, undefined]);
});

it('a new conversation may be one of the erased where exports do not skip these', async () => {
  await eraseAroundHold();
  for (const session of ['a-2', 'a-3', 'a-4']) people.rig.state.deleteSession('ada', session);
  people.talk('ada', 'a-new', 'New', [{ question: 'something new' }]);
  const { stdout } = await cli(nightWords());
  expect(stdout.replace(/\s+/g, ' ')).toContain(
    'erased before 1 new conversation may be one that was erased (receipts do not say which): if the service still had it,',
  );
  expect(stdout).not.toContain('archived again (');
});
