/** Age is counted from this machine's clock only as far as the newest commit agrees with it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ulid } from '../../../src/base/ulid.js';
import { systemClock, systemRandom } from '../../../src/base/runtime.js';
import { openArchive } from '../../../src/library/operations.js';
import type { ExpireChoices } from '../../../src/rewrite/expiry/expire-options.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { ExportRig, MovedClock } from '../../support/rigs/export-rig.js';
import { fault } from '../../support/base/fault.js';

const YEAR = 365.25 * 86_400_000;

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start({ artifactsPerJob: 0 });
  const job = oldJob(rig.state.newJobId(rig.clock.now() - YEAR));
  rig.state.addSession('ann', { id: 'young' }, [job]);
  await rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

async function expired(choices: Partial<ExpireChoices> = {}) {
  await using archive = await openArchive(rig.out, { clock: rig.clock });
  return await archive.expire({ olderThanMs: 7 * YEAR, dryRun: true, ...choices });
}

it('a clock that is years ahead of the newest commit lets nothing expire', async () => {
  const newest = dayOf(rig.clock.now());
  rig.clock.ahead = 30 * YEAR;
  const summary = await expired({ dryRun: false });
  expect(summary).toMatchObject({ expired: 0, refused: 0, kept: 1 });
  expect(dayOf(Date.parse(summary.counted_from))).toBe(newest);
  expect(new Set((await rig.rows('sessions')).map((row) => row['session_id']))).toEqual(
    new Set(['young']),
  );
});

const DAY = 86_400_000;
const wrong = new MovedClock();

async function expiredBy(choices: Partial<ExpireChoices> = {}) {
  await using archive = await openArchive(rig.out, { clock: wrong });
  return await archive.expire({ olderThanMs: YEAR + 30 * DAY, ...choices });
}

it(
  'a contradicted clock counts for nothing: that of the newest confirmed commit does',
  fault('F-99'),
  async () => {
    const newest = dayOf(rig.clock.now());
    wrong.ahead = 60 * DAY;
    rig.state.addSession('ann', { id: 'other' }, [oldJob(rig.state.newJobId(rig.clock.now()))]);
    await rig.export({ clock: wrong });
    const summary = await expiredBy();
    expect(summary).toMatchObject({ expired: 0, refused: 0, kept: 2 });
    expect(dayOf(Date.parse(summary.counted_from))).toBe(newest);
    const log = await (await rig.open()).log.read(2);
    expect(log).not.toHaveProperty('clock_confirmed');
  },
);

it(
  'a contradicted clock erases nothing without a confirmed commit, unless it is trusted',
  fault('F-99'),
  async () => {
    await using other = await ExportRig.start({ artifactsPerJob: 0 });
    other.clock.ahead = -60 * DAY;
    const job = oldJob(other.state.newJobId(other.clock.now() - YEAR));
    other.state.addSession('ann', { id: 'young' }, [job]);
    await other.export({ clock: new MovedClock() });
    const words = ['expire', other.out, '--older-than', `${365 + 30}d`, '--yes'];
    const { exitCode, stdout } = await cli(words);
    expect(exitCode).toBe(7);
    expect(stdout).toContain(
      'refused: no export had its clock confirmed by a Date of the service, so nothing shows how old it is: export again, or --trust-this-clock',
    );
    expect(await other.rows('sessions')).toHaveLength(1);
    expect((await cli([...words, '--trust-this-clock'])).exitCode).toBe(0);
    expect(await other.rows('sessions')).toHaveLength(0);
  },
);

it(
  'a contradicted clock does not say when a job was first seen, whose id tells no time',
  fault('F-99'),
  async () => {
    rig.state.addSession('ben', { id: 'silent' }, [oldJob('silent-1')]);
    wrong.ahead = -9 * YEAR;
    await rig.export({ clock: wrong });
    wrong.ahead += 11 * 60_000; // two reads agree, and settle it
    await rig.export({ clock: wrong });
    wrong.ahead = 0;
    rig.state.addSession('cyd', { id: 'new' }, [oldJob(rig.state.newJobId(rig.clock.now()))]);
    await rig.export({ users: ['cyd'] });
    const summary = await expiredBy({ olderThanMs: 7 * YEAR });
    expect(summary).toMatchObject({
      expired: 0,
      sessions: [{ session: 'silent', outcome: 'refused', reason: 'clock' }],
    });
    await rig.export(); // it stays in doubt until a person says that the clock can be trusted
    expect(await expiredBy({ olderThanMs: 7 * YEAR })).toMatchObject({
      sessions: [{ session: 'silent', outcome: 'refused', reason: 'clock' }],
    });
    const trusted = { olderThanMs: 7 * YEAR, dryRun: true, trustThisClock: true };
    expect(await expiredBy(trusted)).toMatchObject({
      sessions: [{ session: 'silent', outcome: 'planned' }],
    });
  },
);

it('a contradicted clock does not say when a later change was seen', fault('F-130'), async () => {
  await using other = await ExportRig.start({ artifactsPerJob: 0 });
  const id = ulid({ ...systemClock, now: () => other.clock.now() - 9 * YEAR }, systemRandom);
  other.state.addSession('ben', { id: 'old' }, [oldJob(id)]);
  wrong.ahead = -8 * YEAR;
  await other.export({ clock: wrong });
  other.state.changeJob('ben', 'old', id, (record) => {
    const text = JSON.stringify(record).replace('Well?', 'Said anew?');
    return JSON.parse(text) as typeof record;
  });
  await other.export({ clock: wrong, full: true });
  wrong.ahead += 11 * 60_000; // two reads agree, and settle it
  await other.export({ clock: wrong, full: true });
  wrong.ahead = 0;
  other.state.addSession('cyd', { id: 'new' }, [oldJob(other.state.newJobId(other.clock.now()))]);
  await other.export({ users: ['cyd'] });
  await using archive = await openArchive(other.out, { clock: wrong });
  const expired = () => archive.expire({ olderThanMs: 7 * YEAR });
  expect(await expired()).toMatchObject({
    expired: 0,
    sessions: [{ session: 'old', outcome: 'refused', reason: 'clock' }],
  });
  await other.export(); // what it says of the change is still by the clock of then
  expect(await expired()).toMatchObject({ expired: 0, sessions: [{ reason: 'clock' }] });
});

it('a contradicted clock is asked for anew by each commit: a confirmed one lies far back', async () => {
  const { log } = await rig.open();
  const { run } = await log.read(1);
  for (let at = 2; at <= 140; at++) {
    await log.append({ kind: 'export', base: 1, run, checkpoint: at, tool: 't', scope: {} });
  }
  const newest = dayOf(rig.clock.now());
  wrong.ahead = 60 * DAY;
  expect(dayOf(Date.parse((await expiredBy()).counted_from))).toBe(newest);
});

it('a clock that is trusted counts alone', async () => {
  rig.clock.ahead = 30 * YEAR;
  const summary = await expired({ trustThisClock: true });
  expect([summary.planned + summary.refused, summary.kept]).toEqual([1, 0]);
  expect(dayOf(Date.parse(summary.counted_from))).toBe(dayOf(rig.clock.now()));
});

it('the report of an expiry says from which day it counts', async () => {
  const { stdout } = await cli(['expire', rig.out, '--older-than', '7y', '--dry-run']);
  expect(stdout).toMatch(/older than +\d{4}-\d{2}-\d{2}, counted from \d{4}-\d{2}-\d{2}\n/);
});
