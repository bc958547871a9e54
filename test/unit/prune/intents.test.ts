import { expect, it } from 'vitest';
import { asRunId, asJobId } from '../../../src/model/ids.js';
import { Intents } from '../../../src/prune/intents.js';
import { seededRandom, unwrittenArchive } from '../../support/store/archive-samples.js';
import { archived, job } from '../../support/store/archived-sessions.js';
import { FakeClock } from '../../support/base/fake-clock.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';

const run = asRunId('A'.repeat(26));

function rig() {
  const storage = createMemoryStorage();
  const clock = new FakeClock(Date.UTC(2026, 10, 2));
  const archive = unwrittenArchive(storage, { clock, random: seededRandom(1) });
  return { storage, clock, intents: new Intents(archive) };
}

const twoJobs = new Map(['j1', 'j2'].map((id) => [asJobId(id), job()]));

it('an intent to delete has user, session, commit and time for the next run', async () => {
  const { storage, intents } = rig();
  const written = await intents.write(run, archived('s1', { commit: 7 }, { jobs: twoJobs }));
  expect(written).toEqual({
    format: 1,
    run,
    user: 'ann',
    session: 's1',
    commit: 7,
    job_count: 2,
    started_at: '2026-11-02T00:00:00.000Z',
    path: written.path,
  });
  expect([...storage.place.objects.keys()]).toEqual([written.path]);
  expect(await intents.list()).toEqual([written]);
});

it('an intent to delete is listed after those that are older, and no more once it is removed', async () => {
  const { clock, intents } = rig();
  const first = await intents.write(run, archived('s9', { commit: 1 }));
  await clock.advance(5);
  const second = await intents.write(run, archived('s1', { commit: 1 }));
  expect(await intents.list()).toEqual([first, second]);
  await intents.remove(first);
  expect(await intents.list()).toEqual([second]);
});

it('an intent to delete is passed over where another run has just settled it', async () => {
  const { storage, intents } = rig();
  const { path } = await intents.write(run, archived('s1', { commit: 1 }));
  const list = storage.list.bind(storage);
  storage.list = async function* (prefix) {
    yield* list(prefix);
    yield { path: path.replace(/.{5}\.json$/, '00000.json'), bytes: 1, modifiedAtMs: 0 };
  };
  expect(await intents.list()).toHaveLength(1);
});

it('an intent to delete stands beside files of others, which are none', async () => {
  const { storage, intents } = rig();
  await storage.put('_intents/.DS_Store', Buffer.from('x'));
  expect(await intents.list()).toEqual([]);
});

it.each([
  ['{', 'no JSON'],
  ['{"format":1}', 'half of it'],
  ['[]', 'another thing'],
])(
  'an intent to delete is an error where it reads %s: a deletion could be forgotten',
  async (text) => {
    const { storage, intents } = rig();
    const { path } = await intents.write(run, archived('s1', { commit: 1 }));
    await storage.put(path, Buffer.from(text));
    await expect(intents.list()).rejects.toMatchObject({
      path,
      problem: 'unreadable',
      detail: 'is damaged: it does not tell which session was to be deleted',
      cause: expect.any(Error) as Error,
    });
  },
);

it('an intent to delete that cannot be read now is no damage', async () => {
  const { storage, intents } = rig();
  await intents.write(run, archived('s1', { commit: 1 }));
  const failure = new Error('no connection');
  storage.get = () => Promise.reject(failure);
  await expect(intents.list()).rejects.toBe(failure);
});
