/** A receipt names nobody: whose sessions are not all there any more is not proven complete until the next listing. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { EraseRig } from '../../support/rigs/erase-rig.js';
import { ANN, BegunErasure } from '../../support/store/begun-erasure.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { eraseFromArchive } from '../../support/http/one-call.js';
import { fault } from '../../support/base/fault.js';

let people: EraseRig;
beforeEach(async () => {
  people = await EraseRig.start();
  await people.archived(['parquet']);
});
afterEach(() => people[Symbol.asyncDispose]());

const status = () => cliJson<ArchiveStatus>(['status', people.rig.out]);

it('leaves those complete of whom everything is there that was listed', async () => {
  expect((await status()).users).toMatchObject({ total: 3, complete: 3 });
  await eraseFromArchive({ archive: people.rig.out, users: ['ann'] });
  expect((await status()).users).toEqual({
    ...{
      total: 2,
      people: 2,
      complete: 2,
      incomplete_by_decision: 0,
      not_proven: 0,
      incomplete: 0,
    },
    ...{ failed: 0, vanished: 0, never_seen: 0, never_seen_unread: 0, skipped: 0, at_the_cap: 0 },
  });
  const { exitCode, summary, pack } = await handOver(people.rig, '--user', 'ben');
  expect([exitCode, summary().status]).toEqual([0, 'complete']);
  expect(await pack.page('summary')).toMatchObject([{ complete: 'yes' }]);
  const found = await handOver(people.rig, '--user', 'ben', '--match', 'x');
  expect(found.summary().status).toBe('complete');
});

/** Of ben and of cyd one session is erased, and another is gone at the service, and stays: it must not stand in for the first. */
async function withoutOneOfTwo(): Promise<void> {
  const { rig } = people;
  const users = ['ben', 'cyd'];
  for (const user of users) {
    for (const id of ['gone', 'erased']) people.talk(user, `${user}-${id}`);
  }
  await rig.export();
  for (const user of users) rig.state.deleteSession(user, `${user}-gone`);
  await rig.export();
  const sessions = users.map((user) => `${user}-erased`);
  await eraseFromArchive({ archive: rig.out, sessions });
}

it('tells whose sessions were certainly erased, though others of theirs are gone', async () => {
  const { out } = people.rig;
  await withoutOneOfTwo();
  expect((await status()).users).toMatchObject({ total: 3, complete: 1 });
  const { stdout } = await cli(['status', out]);
  expect(stdout).toContain(
    '3: 1 complete, 2 not complete, by decision (accepted gaps, or erased)\n',
  );
  const ben = await cli(['status', out, '--user', 'ben']);
  expect(ben.stdout).toMatch(/^ben: not complete, by decision: 1 of 4 conversations was erased\n/);
});

it('of the last export splits users as that export did: what was erased is a decision', async () => {
  people.talk('ben', 'ben-erased');
  await people.rig.export();
  await eraseFromArchive({ archive: people.rig.out, sessions: ['ben-erased'] });
  people.rig.state.deleteSession('ben', 'ben-erased');
  const { users } = await people.rig.export();
  expect(users).toMatchObject({ complete: 2, incomplete_by_decision: 1 });
  const { stdout } = await cli(['status', people.rig.out]);
  expect(stdout).toMatch(/last export .*Z: all 3 users read, 1 not complete, by decision\n/);
  expect(stdout).toMatch(
    /: 3 of 3 users, 2 complete, 1 not complete, by decision, 0 versions of questions archived/,
  );
});

it('says at least where an erasure took more than the last listing of its user shows', async () => {
  const { rig } = people;
  for (const id of ['gone', 'erased']) people.talk('ben', `ben-${id}`);
  await rig.export();
  rig.state.deleteSession('ben', 'ben-gone');
  await rig.export();
  await eraseFromArchive({ archive: rig.out, sessions: ['ben-gone', 'ben-erased'] });
  const { stdout } = await cli(['status', rig.out, '--user', 'ben']);
  expect(stdout).toMatch(
    /^ben: not complete, by decision: 1 of 3 conversations was erased, and up to \d+ more that the log does not name\n/,
  );
});

it('says that nothing of the erased is here only until an export has archived sessions again', async () => {
  const { rig } = people;
  await eraseFromArchive({ archive: rig.out, users: ['ann'] });
  const gone = 'nothing of what was erased is here';
  const back =
    'what was erased is not here, unless the service still had it and an export has archived it again since';
  const told = async () => {
    const all = [await cli(['status', rig.out]), await cli(['search', rig.out, 'x'])];
    return all.map(({ stdout }) => [gone, back].map((words) => stdout.includes(words)));
  };
  expect(await told()).toEqual([
    [true, false],
    [true, false],
  ]);
  await rig.export();
  expect(await told()).toEqual([
    [false, true],
    [false, true],
  ]);
  expect((await status()).erasures).toMatchObject({ count: 1, exported_since: true });
  // a later erasure is of something else
  await eraseFromArchive({ archive: rig.out, users: ['cyd'] });
  expect(await told()).toEqual([
    [false, true],
    [false, true],
  ]);
});

it('is complete again after the next export', async () => {
  await withoutOneOfTwo();
  await people.rig.export({ users: ['ben', 'cyd'] });
  expect((await status()).users).toMatchObject({ complete: 3, not_proven: 0 });
});

it(
  'names an erasure that is recorded and not finished, until a run has finished it',
  fault('F-141'),
  async () => {
    const { rig } = people;
    const { number, erasure } = await new BegunErasure(await rig.open(), ANN).begin();
    expect((await status()).open_erasures).toEqual([{ receipt: erasure?.id, commit: number }]);
    expect((await cli(['status', rig.out])).stdout).toContain(
      `not finished               the erasure of commit ${number}: what it erases may still be there; the next run goes on with it, and jobvault verify ${rig.out} says what is in its way\n`,
    );
    expect((await cli(['compact', rig.out])).exitCode).toBe(0);
    expect((await status()).open_erasures).toEqual([]);
    expect((await cli(['status', rig.out])).stdout).not.toContain('not finished');
  },
);
