/** The column `erased` of a pack's `summary.csv` adds up to what its first page says was erased. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Caveat } from '../../../src/archive/reading/caveats/caveat.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { SearchRig } from '../../support/rigs/search-rig.js';
import { EvidencePack } from '../../support/tables/evidence-pack.js';

let people: SearchRig;
beforeEach(async () => {
  people = await SearchRig.start();
  for (const user of ['ana', 'Ana']) {
    people.talk(user, 's-1', 'First', [{ question: 'the falcon', id: 'j-1' }]);
    people.talk(user, 's-2', 'Second', [{ question: 'the falcon', id: 'j-2' }]);
  }
  people.talk('Ana', 's-3', 'Third', [{ question: 'the falcon', id: 'j-3' }]);
  people.talk('ben', 'b-1', 'Ben', [{ question: 'the weather', id: 'j-4' }]);
  people.talk('ben', 'b-2', 'Ben', [{ question: 'the weather', id: 'j-5' }]);
  await people.rig.archived();
});
afterEach(() => people[Symbol.asyncDispose]());

async function erased(...sessions: string[]): Promise<void> {
  const { out, state } = people.rig;
  const named = sessions.flatMap((session) => ['--session', session]);
  await cli(['erase', out, ...named, '--reason', 'asked', '--yes']);
  for (const session of sessions) {
    for (const user of state.userIds()) {
      if (state.sessionIds(user).includes(session)) state.deleteSession(user, session);
    }
  }
  await people.rig.export();
}

async function packed(...words: string[]) {
  const out = join(people.rig.directory, 'pack');
  const { stdout } = await cli(['evidence', people.rig.out, ...words, '--out', out, '--json']);
  const { caveats } = JSON.parse(stdout) as { caveats: Caveat[] };
  const rows = await new EvidencePack(out).page('summary');
  const sum = rows.reduce((all, row) => all + Number(row['erased']), 0);
  return {
    told: caveats.find(({ kind }) => kind === 'erased')?.count,
    sum,
    rows: rows.map(({ user_id: user, erased: count }) => [user, count]),
  };
}

it('what two spellings of a user listed counts once, where most of the user was erased', async () => {
  await erased('s-1', 's-3', 'b-1');
  const { told, sum, rows } = await packed();
  expect(rows.toSorted()).toEqual([
    ['Ana', '2'],
    ['ana', '0'],
    ['ben', '1'],
  ]);
  expect([told, sum]).toEqual([3, 3]);
});

it('a pack of a search has a row without a user for what was erased of others', async () => {
  await erased('s-1', 'b-1');
  const { told, sum, rows } = await packed('--match', 'falcon');
  expect(rows.map(([user]) => user)).not.toContain('ben');
  expect(rows.find(([user]) => user === '')).toEqual(['', '1']);
  expect([told, sum]).toEqual([2, 2]);
});

it('a pack without erasures has a row for each user alone', async () => {
  expect((await packed('--match', 'falcon')).rows.map(([user]) => user)).not.toContain('');
});
