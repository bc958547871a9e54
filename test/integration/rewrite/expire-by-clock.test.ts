/** Age is counted from this machine's clock only as far as the newest commit agrees with it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openArchive } from '../../../src/library/operations.js';
import type { ExpireChoices } from '../../../src/rewrite/expiry/plan-expiry.js';
import { cli } from '../../support/programs/cli-in-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

const YEAR = 365.25 * 86_400_000;

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start({ artifactsPerJob: 0 });
  const job = oldJob(rig.state.newJobId(rig.clock.now() - YEAR));
  rig.state.addSession('ann', { id: 'young' }, [job]);
  await rig.export();
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
