/** `erase --suppress-only`: exports skip somebody whom the archive does not have any more, or has never had (I-68). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { grepArchive } from '../../support/store/grep-archive.js';

let people: SearchRig;
let out: string;
beforeEach(async () => {
  people = await SearchRig.start();
  people.talk('ada', 'a-sales', 'Sales', [{ question: 'of Falcon' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'Falcon again' }]);
  await people.rig.archived();
  ({ out } = people.rig);
});
afterEach(() => people[Symbol.asyncDispose]());

const reason = ['--reason', 'Art. 17, late', '--by', 'Dana'];
const suppress = (...words: string[]) =>
  cli(['erase', out, '--suppress-only', ...reason, ...words]);
const night = () => {
  const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
  const users = ['--user', 'ada', '--user', 'ben'];
  return cliJson<{ suppressed?: object }>(['export', '--out', out, ...users, ...service]);
};

describe('erase --suppress-only', () => {
  it('of a person who was erased without --suppress: the next export skips the person', async () => {
    await cli(['erase', out, '--user', 'ada', '--yes']);
    const { exitCode, stdout } = await suppress('--user', 'ada', '--yes');
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringMatching(/^Recorded in commit \d+: exports skip user ada in every spelling\n/),
    ]);
    expect(await night()).toMatchObject({ suppressed: { users: 1, sessions: 0 } });
    expect(await grepArchive(out, ['"ada"', 'a-sales'])).toEqual([]);
    expect((await cli(['verify', out])).exitCode).toBe(0);
  });

  it('of a conversation: the next export skips it alone', async () => {
    await cli(['erase', out, '--session', 'a-sales', '--yes']);
    await suppress('--session', 'a-sales', '--yes');
    expect(await night()).toMatchObject({ suppressed: { users: 0, sessions: 1 } });
  });

  it('of a conversation that the archive never had: its user was seen, and has not vanished', async () => {
    people.talk('ben', 'b-2', 'More', [{}]);
    people.talk('cyd', 'c-1', 'Cyd', [{}]);
    await suppress('--session', 'b-2', '--session', 'c-1', '--yes');
    people.rig.state.deleteSession('ben', 'b-1');
    const service = ['--base-url', people.rig.emulator.baseUrl, '--allow-private-network'];
    const users = ['--user', 'ben', '--user', 'cyd', '--allow-other-conversations'];
    const told = await cliJson<ExportSummary>(['export', '--out', out, ...users, ...service]);
    expect(told).toMatchObject({ suppressed: { sessions: 2 }, never_seen: [], vanished: [] });
    const { users: counted } = await cliJson<ArchiveStatus>(['status', out]);
    expect(counted).toMatchObject({ total: 3, never_seen: 0, vanished: 0 });
  });

  it('shows a plan, with a name that is like the given one, and changes nothing with --dry-run', async () => {
    const { exitCode, stdout } = await suppress('--user', 'adda', '--dry-run');
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining('did you mean "ada"?')]);
    expect(stdout).toMatch(
      /^Plan, nothing is recorded; exports would skip user adda in every spelling\n/,
    );
    expect((await night()).suppressed).toBeUndefined();
  });

  it('does nothing without a yes', async () => {
    const { exitCode, stderr } = await suppress('--user', 'adda');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('pass --yes')]);
  });

  it('says so where exports skip them already', async () => {
    await suppress('--user', 'cleo', '--yes');
    const { exitCode, stdout } = await suppress('--user', 'CLEO', '--yes');
    expect([exitCode, stdout]).toEqual([
      0,
      'Nothing is recorded: exports skip user CLEO in every spelling already\n',
    ]);
  });

  it('is in the list of erase --list, with who, why, and when it ended, and no name', async () => {
    await suppress('--user', 'cleo', '--yes');
    await cli([
      'erase',
      out,
      '--unsuppress',
      '--yes',
      '--user',
      'cleo',
      '--reason',
      'back',
      '--by',
      'Eve',
    ]);
    const { suppressions } = await cliJson<{ suppressions: object[] }>(['erase', out, '--list']);
    expect(suppressions).toMatchObject([
      {
        subject: 'user',
        reason: 'Art. 17, late',
        by: 'Dana',
        lifted: { reason: 'back', by: 'Eve' },
      },
    ]);
    const { stdout } = await cli(['erase', out, '--list']);
    expect(stdout).toContain('1 user not to come back');
    expect(stdout).toMatch(/1 user may come back +Eve +back/);
    expect(stdout).not.toContain('cleo');
  });

  it.each([
    ['a user whom the archive has', ['--user', 'ada'], 'has the user "ada"'],
    ['one in another spelling', ['--user', 'Ada'], 'has the user "ada"'],
    ['a conversation that it has', ['--session', 'b-1'], 'has the session "b-1"'],
    ['nobody', [], 'nothing is named'],
    ['a person whom --by names', ['--user', 'dana'], 'which names what'],
    ['what erases', ['--user', 'cleo', '--suppress'], '--suppress-only erases nothing'],
  ])('refuses %s with exit code 2', async (_, words, told) => {
    const { exitCode, stderr } = await suppress(...words, '--yes');
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining(told)]);
  });

  it('is what erase --suppress names where the archive has nobody of that name', async () => {
    const { exitCode, stderr } = await cli(['erase', out, '--user', 'cleo', '--suppress', '--yes']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--suppress-only')]);
  });

  it('refuses a person who is on hold', async () => {
    const hold = ['hold', 'add', out, '--user', 'cleo', '--allow-unknown-holds'];
    await cli([...hold, '--reason', 'Matter 9', '--by', 'D']);
    const { exitCode, stderr } = await suppress('--user', 'cleo', '--yes');
    expect([exitCode, stderr]).toEqual([7, expect.stringContaining('on hold')]);
  });
});

it('a later erasure takes a name out of the reason of a suppression', async () => {
  await cli([
    'erase',
    out,
    '--suppress-only',
    '--user',
    'cleo',
    '--by',
    'D',
    '--yes',
    '--reason',
    'as ben asked',
  ]);
  await cli(['erase', out, '--user', 'ben', '--yes']);
  expect(await grepArchive(out, ['ben asked'])).toEqual([]);
  expect((await cli(['verify', out])).exitCode).toBe(0);
});
