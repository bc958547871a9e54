/** A pack for one person, or one conversation, holds nothing of anybody else. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/base/digest.js';
import { bagProblems } from '../../support/tables/bag-validator.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

const OWN = { user: 'person-alpha', session: 'session-alpha', word: 'ALPHAWORD' };
const OTHER = { user: 'person-beta', session: 'session-beta', word: 'BETAWORD' };
const SECOND = { user: OWN.user, session: 'session-gamma', word: 'GAMMAWORD' };
const SHARED = 'shared,by\nboth,1\n';

let rig: ExportRig;

function tell({ user, session, word }: typeof OWN): void {
  rig.state.putFile(`${word}.csv`, `${word},x\n1,2\n`);
  rig.state.putFile('shared.csv', SHARED);
  const block = (key: string, name: string) => ({
    type: 'TABLE',
    stage: 'Respond',
    group_id: '',
    content: { name, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' },
  });
  const message = { type: 'MESSAGE', content: `Answer ${word}`, stage: 'Respond', group_id: '' };
  const job = {
    job_id: `job-of-${word}`,
    question: { blocks: [{ type: 'MESSAGE', content: `Question ${word}` }] },
    answer: { blocks: [message, block(`${word}.csv`, word), block('shared.csv', 'shared')] },
  };
  rig.state.addSession(user, { id: session, name: `Name ${word}` }, [job]);
}

/** Everything that would tell of them. */
function tracesOf({ user, session, word }: typeof OWN, isOtherUser: boolean): string[] {
  const digest = sha256Hex(`${word},x\n1,2\n`);
  return [...(isOtherUser ? [user] : []), session, word, `job-of-${word}`, digest];
}

beforeAll(async () => {
  rig = await ExportRig.start();
  for (const who of [OWN, SECOND, OTHER]) tell(who);
  await rig.archived(); // everybody
  rig.state.growAnswer(OWN.user, OWN.session, `job-of-${OWN.word}`, 'A second thought.');
  await rig.export({ users: [OWN.user], full: true }); // one of them
  rig.state.growAnswer(OTHER.user, OTHER.session, `job-of-${OTHER.word}`, 'BETAWORD again.');
  await rig.export({ users: [OTHER.user], full: true }); // the other
  await rig.export({ users: [OWN.user], sessions: [OWN.session, SECOND.session] });
});
afterAll(() => rig[Symbol.asyncDispose]());

it('a pack for one user holds nothing of another user, in no file and no file name', async () => {
  const { exitCode, pack } = await handOver(rig, '--user', OWN.user);
  expect([exitCode, await bagProblems(pack.directory)]).toEqual([0, []]);
  for (const trace of tracesOf(OTHER, true)) {
    expect([trace, await pack.filesWith(trace)]).toEqual([trace, []]);
  }
  for (const trace of [...tracesOf(OWN, true), ...tracesOf(SECOND, true)]) {
    expect(await pack.filesWith(trace)).not.toEqual([]);
  }
});

it("a user's pack has commits of no other as they are, extracts of shared ones, digests", async () => {
  const { pack, summary } = await handOver(rig, '--user', OWN.user);
  const chain = await pack.page('commits/chain');
  expect(chain.map(({ number, in_pack: kind }) => [number, kind])).toEqual([
    ['1', 'extract'] as const,
    ['2', 'whole'] as const,
    ['3', 'digest'] as const,
    ['4', 'whole'] as const,
    // the fifth names a snapshot: nothing of the data is otherwise after it
  ]);
  expect(summary().commits).toEqual({ whole: 2, extracts: 1, others: 1 });
  for (const [at, { previous }] of chain.entries()) {
    expect(previous).toBe(chain[at - 1]?.['digest'] ?? '');
  }
  const extract = await pack.json('data/commits/000000000001.extract.json');
  expect(extract).toMatchObject({
    number: 1,
    digest: chain[0]?.['digest'],
    left_out: { sessions: 1, users: 1 },
    jobs: { path: 'data/commits/000000000001.extract.jobs.jsonl', rows: 2 },
  });
  const lines = await pack.text('data/commits/000000000001.extract.jobs.jsonl');
  const users = lines
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { user: string }).user);
  expect(users).toEqual([OWN.user, OWN.user]);
});

it('a pack for one user holds a file that another user has, too, since it is also of this one', async () => {
  const { pack } = await handOver(rig, '--user', OTHER.user);
  expect(await pack.text(`data/artifacts/${sha256Hex(SHARED)}.csv`)).toBe(SHARED);
  for (const trace of [...tracesOf(OWN, true), ...tracesOf(SECOND, true)]) {
    expect([trace, await pack.filesWith(trace)]).toEqual([trace, []]);
  }
});

it('a pack for one user is the same for several users as for each', async () => {
  const { pack, summary } = await handOver(rig, '--user', OTHER.user, '--user', OWN.user);
  expect(summary()).toMatchObject({ users: 2, sessions: 3, jobs: 3, records: 5 });
  expect(summary().commits).toEqual({ whole: 4, extracts: 0, others: 0 });
  expect((await pack.page('summary')).map((row) => row['user_id']).toSorted()).toEqual([
    OWN.user,
    OTHER.user,
  ]);
});

it("a pack for one session holds nothing of the user's other sessions, nor of other users", async () => {
  const { exitCode, pack, summary } = await handOver(rig, '--session', OWN.session);
  expect([exitCode, await bagProblems(pack.directory)]).toEqual([0, []]);
  for (const trace of [...tracesOf(OTHER, true), ...tracesOf(SECOND, false)]) {
    expect([trace, await pack.filesWith(trace)]).toEqual([trace, []]);
  }
  expect(summary()).toMatchObject({ users: 1, sessions: 1, jobs: 1, records: 2 });
  const settings = await pack.page('settings');
  const named = settings.filter(({ commit, setting }) => commit === '4' && setting === 'sessions');
  expect(named.map(({ value }) => value)).toEqual([JSON.stringify([OWN.session])]);
});

it('a pack for one session may name sessions of several users', async () => {
  const words = ['--session', OWN.session, '--session', OTHER.session];
  const { pack, summary } = await handOver(rig, ...words);
  expect(summary()).toMatchObject({ users: 2, sessions: 2, jobs: 2 });
  for (const trace of tracesOf(SECOND, false)) {
    expect([trace, await pack.filesWith(trace)]).toEqual([trace, []]);
  }
});

it('does not name sessions of others that a run was asked for together with those in the pack', async () => {
  await using own = await ExportRig.start();
  own.state.addSession(OWN.user, { id: OWN.session });
  own.state.addSession(OTHER.user, { id: OTHER.session });
  await own.export({ users: [OWN.user], sessions: [OWN.session, OTHER.session] });
  const { pack } = await handOver(own, '--user', OWN.user);
  expect(await bagProblems(pack.directory)).toEqual([]);
  expect(await pack.filesWith(OWN.session)).not.toEqual([]);
  expect(await pack.filesWith(OTHER.session)).toEqual([]);
});
