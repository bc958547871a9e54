/** What is gone from the service is recorded, but nothing of those whom an erasure may be taking out of the log. */
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Archive } from '../../../src/archive/archive.js';
import { asSessionId, asUserId } from '../../../src/model/ids.js';
import { DeletionLog } from '../../../src/prune/deletion-log.js';
import { Intents } from '../../../src/prune/intents.js';
import { LogFacts } from '../../../src/archive/state/log-facts.js';
import { reopened, runOf, seededRandom } from '../../support/store/archive-samples.js';
import { archiveOfThree, BegunErasure } from '../../support/store/begun-erasure.js';
import { commitJobs } from '../../support/store/written-jobs.js';
import { silentLogger, type LogFields } from '../../../src/base/logger.js';
import { FakeClock } from '../../support/base/fake-clock.js';

const user = asUserId('ann');
const session = asSessionId('a2');

/** @param over of the archive that records, `logger` and `states` */
async function recordedBy(opened: Archive, over: Partial<Archive> = {}, run = runOf('P')) {
  const archive = { ...opened, ...over, clock: new FakeClock(1500), random: seededRandom(5) };
  const intents = new Intents(archive);
  const { sessions } = await new LogFacts(archive).sessionsOf(user);
  const archived = sessions.find((one) => one.session === session);
  if (!archived) throw new Error('a2 is not archived');
  const deletions = new DeletionLog({
    archive,
    runId: run,
    scope: {},
    intents,
  });
  return { deletions, intents, intent: await intents.write(run, archived) };
}

const gone = { user, session, commit: 2, jobCount: 1, outcome: 'confirmed' } as const;
const goneOfBen = {
  ...gone,
  user: asUserId('ben'),
  session: asSessionId('b1'),
  intent: undefined,
};

it('what a prune records is in the log, and its intent is gone', async () => {
  const { archive } = await archiveOfThree();
  const { deletions, intents, intent } = await recordedBy(archive);
  await deletions.add({ ...gone, intent });
  await deletions.flush();
  expect(deletions.commits).toEqual([4]);
  expect((await archive.log.read(4)).deletions).toMatchObject([{ user, session }]);
  expect(await intents.list()).toEqual([]);
});

it('what a prune records is recorded once, and nothing that another run has recorded', async () => {
  const { archive } = await archiveOfThree();
  const { deletions, intents, intent } = await recordedBy(archive);
  await deletions.flush();
  expect(deletions.commits).toEqual([]);
  await deletions.add({ ...gone, intent });
  await deletions.add({ ...gone, intent: undefined });
  await deletions.add(goneOfBen);
  await deletions.flush();
  await deletions.flush();
  expect(deletions.commits).toEqual([4]);
  const { deletions: recorded } = await archive.log.read(4);
  expect(recorded.map((one) => `${one.user} ${one.session}`)).toEqual(['ann a2', 'ben b1']);
  expect((await archive.states.load(user)).sessions.get(session)?.deleted).toBe(true);

  const late = await recordedBy(reopened(archive));
  await late.deletions.add({ ...gone, intent: late.intent });
  await late.deletions.add({ ...gone, session: asSessionId('unheard of'), intent: undefined });
  await late.deletions.flush();
  expect(late.deletions.commits).toEqual([]);
  expect(await intents.list()).toEqual([]);
});

it('what a prune records is recorded under every spelling that lists it, and counts once', async () => {
  const { archive } = await archiveOfThree();
  const again = { user: 'Ann', session: 'a2', job: 'j2' };
  await commitJobs(archive, [again, { ...again, session: 'other', job: 'j3' }], { run: 'C' });
  const told: [LogFields, string][] = [];
  const logger = {
    ...silentLogger,
    info: (...line: (typeof told)[number]) => void told.push(line),
  };
  const { deletions, intent } = await recordedBy(reopened(archive), { logger });
  await deletions.add({ ...gone, intent });
  await deletions.flush();
  await archive.index.refresh();
  expect((await archive.log.read(5)).deletions).toMatchObject([
    { user: 'ann', session: 'a2', commit: 2, outcome: 'confirmed' },
    { user: 'Ann', session: 'a2', commit: 4, outcome: 'confirmed' },
  ]);
  const { sessions } = await archive.states.load(asUserId('Ann'));
  expect([...sessions].map(([id, { deleted }]) => [id, deleted])).toEqual([
    ['a2', true],
    ['other', false],
  ]);
  expect(archive.index.commit(5)?.counts.deletions).toBe(1);
  expect(told).toEqual([[{ commit: 5, sessions: 1 }, 'deletions recorded']]);
});

it('what a prune records is committed a hundred at a time, with the time of each', async () => {
  const { archive } = await archiveOfThree();
  const { deletions, intent } = await recordedBy(archive);
  for (let n = 1; n < 100; n++) await deletions.add({ ...gone, intent: undefined });
  expect(deletions.commits).toEqual([]);
  await deletions.add({ ...gone, intent });
  expect(deletions.commits).toEqual([4]);
  const { files, deletions: recorded } = await archive.log.read(4);
  expect(recorded[0]?.deleted_at).toBe('1970-01-01T00:00:01.500Z');
  expect(files.map(({ table }) => table)).toEqual(['deletions']);
  const [file] = files;
  const bytes = await archive.storage.get(file?.path ?? '');
  const rows = gunzipSync(bytes).toString().trim().split('\n');
  expect(rows).toHaveLength(1);
  expect(JSON.parse(rows[0] ?? '')).toMatchObject({
    user_id: user,
    session_id: session,
    deleted_at: expect.stringMatching(/^1970-01-01T00:00:01\.5/) as string,
    outcome: 'confirmed',
  });
});

it('a record is none while an erasure is open that began meanwhile; its intent stays', async () => {
  const { archive, storage } = await archiveOfThree();
  const { deletions, intents, intent } = await recordedBy(reopened(archive));
  await deletions.add({ ...gone, intent });
  const receipt = await new BegunErasure(archive).begin();
  await deletions.flush();
  expect(deletions.commits).toEqual([]);
  await archive.index.refresh();
  expect(archive.index.through).toBe(receipt.number);
  const tables = [];
  for await (const { path } of storage.list('tables/deletions/')) tables.push(path);
  expect(tables).toEqual([]);
  expect(await intents.list()).toHaveLength(1);
});

it('a record is told once: when it is made, or that an erasure keeps it from being made', async () => {
  const { archive } = await archiveOfThree();
  const told: [LogFields, string][] = [];
  const tell = (fields: LogFields, message: string) => void told.push([fields, message]);
  const logger = { ...silentLogger, info: tell, warn: tell };
  const { deletions } = await recordedBy(reopened(archive), { logger });
  await deletions.add({ ...gone, intent: undefined });
  await deletions.flush();
  expect(told).toEqual([[{ commit: 4, sessions: 1 }, 'deletions recorded']]);

  const another = { user: asUserId('cyd'), session: asSessionId('c1') };
  const later = await recordedBy(reopened(archive), { logger });
  await new BegunErasure(archive).begin();
  await deletions.flush();
  expect(told).toHaveLength(1);
  await later.deletions.add({ ...gone, ...another, intent: undefined });
  await later.deletions.flush();
  await later.deletions.flush();
  const waits = 'an erasure is not finished: the next prune records what is gone';
  expect(told.slice(1)).toEqual([[{ sessions: 1 }, waits]]);
});

it('a record is of the user who is named, though another lists a session of the same id', async () => {
  const { archive } = await archiveOfThree();
  const both = asSessionId('b1');
  await commitJobs(archive, [{ user: 'ann', session: both, job: 'k1' }], { run: 'C' });
  const { deletions } = await recordedBy(reopened(archive));
  await deletions.add({ ...gone, session: both, intent: undefined });
  await deletions.add({ ...goneOfBen, session: asSessionId('none') });
  await deletions.flush();
  const recorded = (await archive.log.read(5)).deletions;
  expect(recorded.map((one) => `${one.user} ${one.session}`)).toEqual(['ann b1']);
});

it("a record is not recorded twice where another run records it while others' states are read", async () => {
  const { archive, storage } = await archiveOfThree();
  const other = await recordedBy(reopened(archive, storage, 7), {}, runOf('Q'));
  await other.deletions.add({ ...gone, intent: undefined });
  const own = reopened(archive);
  const { states } = own;
  const load = states.load.bind(states);
  states.load = async (who) => {
    if (who === 'ben') await other.deletions.flush();
    return load(who);
  };
  const { deletions } = await recordedBy(own);
  await deletions.add({ ...gone, intent: undefined });
  await deletions.add(goneOfBen);
  await deletions.flush();
  const recorded = async (number: number) =>
    (await archive.log.read(number)).deletions.map(({ session: id }) => id);
  expect(await recorded(4)).toEqual(['a2']);
  expect(await recorded(5)).toEqual(['b1']);
});
