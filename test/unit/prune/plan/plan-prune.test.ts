import { expect, it } from 'vitest';
import type { Archive } from '../../../../src/archive/archive.js';
import { type Logger, silentLogger } from '../../../../src/base/logger.js';
import { planPrune } from '../../../../src/prune/plan/plan-prune.js';
import { pruneRules, type PruneRules } from '../../../../src/prune/prune-rules.js';
import { FakeClock } from '../../../support/base/fake-clock.js';
import { draft, reopened, runOf, seededRandom } from '../../../support/store/archive-samples.js';
import { copyOf } from '../../../support/store/memory-storage.js';
import { archiveOfThree } from '../../../support/store/begun-erasure.js';
import { Intents } from '../../../../src/prune/intents.js';
import { LogFacts } from '../../../../src/archive/state/log-facts.js';
import { asUserId } from '../../../../src/model/ids.js';
import { fault } from '../../../support/base/fault.js';

const clock = new FakeClock(Date.UTC(2026, 10, 21));

function planIn(
  archive: Archive,
  rules: Partial<PruneRules> = { all: true },
  logger = silentLogger,
) {
  return planPrune({
    archive: { ...reopened(archive), clock, logger },
    rules: pruneRules(rules),
    unknownIds: 'error',
    signal: new AbortController().signal,
  });
}

it('a plan names what would go, by what its age is known, and writes nothing', async () => {
  const { archive, storage } = await archiveOfThree();
  const before = new Map(storage.place.objects);
  const { summary, saved } = await planIn(archive);
  expect(summary).toMatchObject({ status: 'planned', planned: 4, duration_ms: 0 });
  expect(summary.sessions.map(({ user, session, outcome }) => [user, session, outcome])).toEqual([
    ['ann', 'a1', 'planned'],
    ['ann', 'a2', 'planned'],
    ['ben', 'b1', 'planned'],
    ['cyd', 'c1', 'planned'],
  ]);
  for (const { detail, name } of summary.sessions) {
    expect(detail).toMatch(/^(its newest job|its last change|it has no job)/);
    expect(typeof name).toBe('string');
  }
  expect(saved.sessions).toHaveLength(4);
  expect(saved.created_at).toBe('2026-11-21T00:00:00.000Z');
  expect(storage.place.objects).toEqual(before);
});

it('a plan has no more than one run may delete, and says what an earlier one left open', async () => {
  const { archive } = await archiveOfThree();
  const intents = new Intents({ ...archive, clock, random: seededRandom(5) });
  const [first] = (await new LogFacts(archive).sessionsOf(asUserId('ann'))).sessions;
  if (first) await intents.write(runOf('P'), first);
  const { summary } = await planIn(archive, { all: true, maxDelete: 1 });
  const outcomes = summary.sessions.map(({ outcome, reason }) => `${outcome} ${reason ?? ''}`);
  expect(outcomes.filter((one) => one === 'planned ')).toHaveLength(1);
  expect(outcomes.filter((one) => one === 'left max-delete')).toHaveLength(3);
  expect(summary.unfinished).toBe(1);
});

it('a plan is made without names where these cannot be read, which is logged', async () => {
  const { archive, storage } = await archiveOfThree();
  for (const path of storage.place.objects.keys()) {
    if (path.startsWith('tables/sessions/')) await storage.put(path, Buffer.from('damaged'));
  }
  const warned: string[] = [];
  const logger: Logger = { ...silentLogger, warn: (_fields, text) => void warned.push(text) };
  const { summary } = await planIn(archive, { all: true }, logger);
  expect(summary.sessions.map(({ name }) => name)).toEqual([null, null, null, null]);
  expect(warned).toEqual(['the names of sessions could not be read']);
});

it(
  'a plan is carried out in the log that it was made of, and in no other of the same archive',
  fault('F-125'),
  async () => {
    const { archive, storage } = await archiveOfThree();
    const older = copyOf(storage);
    await archive.log.append(draft({ base: archive.index.through, run: runOf('X') }));
    await archive.index.refresh();
    const { saved: plan } = await planIn(archive);
    expect(plan.head).toEqual(await archive.log.head());
    const carriedOut = (of: Archive, given = plan) =>
      planPrune({
        archive: { ...of, clock },
        plan: given,
        unknownIds: 'error',
        signal: new AbortController().signal,
      });
    expect((await carriedOut(reopened(archive))).summary.planned).toBe(4);
    // an erasure redacts commits, and leaves them their digests; later commits change nothing
    await archive.log.append(draft({ base: archive.index.through, run: runOf('Y') }));
    expect((await carriedOut(reopened(archive))).summary.planned).toBe(4);
    const told = `the plan was made of another state of this archive, at its commit ${plan.head?.number ?? 0}, which is not in this log: make a new one`;
    const restored = reopened(archive, older);
    await expect(carriedOut(restored)).rejects.toThrow(told);
    await restored.index.refresh();
    await restored.log.append(draft({ base: restored.index.through, run: runOf('Z') }));
    await expect(carriedOut(restored)).rejects.toThrow(told);
    await expect(carriedOut(restored, { ...plan, head: null })).rejects.toThrow('before its first');
  },
);
