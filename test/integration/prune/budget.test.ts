/** `export --delete-archived` with a budget: what the export has not used is all that the deletions may use. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExportSummary } from '../../../src/export/export-summary.js';
import { parseJson } from '../../../src/base/text/parse-json.js';
import type { Intent } from '../../../src/prune/intents.js';
import type { PruneSummary } from '../../../src/prune/prune-summary.js';
import { RateLimiter } from '../../../src/service/pace/pace.js';
import {
  RequestBudget,
  type RequestBudgetOptions,
} from '../../../src/service/pace/request-budget.js';
import type { Faults } from '../../../src/emulator/faults/faults.js';
import { MovedClock } from '../../support/rigs/export-rig.js';
import { oneLine, PruneCli } from '../../support/programs/prune-cli-run.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';

let rig: PruneRig;
let cli: PruneCli;
beforeEach(async () => {
  rig = await PruneRig.start();
  cli = new PruneCli(rig);
  rig.addSessions('ann', ['a1', 'a2']);
  rig.addSessions('bob', ['b1', 'b2']);
  await rig.rig.archived({ concurrency: 1 });
  rig.emulator.stats.reset();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** One user after the other, so that every request has its place in the order. */
const limited = (...words: string[]) =>
  cli.export('--delete-archived', '--all', '--yes', '--concurrency', '1', ...words);

const SESSIONS = ['a1', 'a2', 'b1', 'b2'];

type Told = ExportSummary & { readonly prune: PruneSummary };

/** Whether the key is right; a listing of each user and a page of each session; what totals of lists count, and those of histories. */
const EXPORT = 1 + 6 + 2;
/** Before a plan is shown: a short list, for the service's time. */
const CLOCK = 1;
/** A page of the history, the session, the DELETE and the session again. */
const DELETION = 4;
/** The page behind the first short history: whether there is more. */
const BEHIND = 1;

it.each([1, 5, 6, 7, 10, 11, 14, 15, 19, 20, 23, 24, 30])(
  'a budget of requests of %i is never exceeded, and every session is deleted or left',
  async (most) => {
    const end = await limited('--max-requests', String(most), '--json');
    expect(rig.emulator.stats.totalRequests).toBeLessThanOrEqual(most);
    const { prune, deletions, requests, budget } = oneLine(end) as Told;
    expect([end.exitCode, prune.status]).toEqual([0, 'complete']);
    expect(deletions.deleted + deletions.left).toBe(4);
    expect([rig.deletesSent, rig.left().length]).toEqual([deletions.deleted, deletions.left]);
    expect(requests.api).toBe(rig.emulator.stats.totalRequests);
    expect(budget?.requests).toBe(requests.api);
    expect(await rig.intents()).toEqual([]);
    expect(await rig.recorded()).toHaveLength(deletions.deleted);
  },
);

it('a budget of requests is used up: a session goes while all that its deletion takes is left', async () => {
  const enough = EXPORT + CLOCK + 1 + BEHIND + 2 * DELETION;
  const summary = oneLine(await limited('--max-requests', String(enough), '--json')) as Told;
  expect(outcomes(summary.prune)).toEqual({
    a1: 'deleted',
    a2: 'deleted',
    b1: 'budget',
    b2: 'budget',
  });
  expect(rig.emulator.stats.totalRequests).toBe(enough);
  const { exitCode, stdout } = await limited('--max-requests', '8');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Stopped by its budget after [^:]+: 2 conversations not deleted\n/);
  expect(stdout).toContain(
    'Stopped by its budget: 0 conversations deleted, 2 left for the next run',
  );
  expect(stdout).toContain('user bob, 2 conversations: left: the budget of 8 requests is spent');
  await limited('--max-requests', String(enough));
  expect(rig.left()).toEqual([]);
});

/** A deletion that may use so much. */
async function pruned(limits: Omit<RequestBudgetOptions, 'clock'>, clock = new MovedClock()) {
  const limiter = new RateLimiter({ clock, rate: 10_000 });
  return rig.pruned({ clock, budget: new RequestBudget(limiter, { ...limits, clock }) });
}

/** Every session is still there, recorded as gone, or told by an intent that the summary names. */
async function expectTold(summary: PruneSummary): Promise<void> {
  const told = outcomes(summary);
  const { storage } = await rig.rig.open();
  const open: string[] = [];
  for (const path of await rig.intents()) {
    const { session } = parseJson(Buffer.from(await storage.get(path)).toString()) as Intent;
    expect(['unconfirmed', 'still-there', 'budget']).toContain(told[session]);
    open.push(session);
  }
  const recorded = (await rig.recorded()).map((row) => row.split(' ')[0] ?? '');
  const left = rig.left();
  const gone = SESSIONS.filter((id) => !left.includes(id));
  expect(recorded).toEqual(gone.filter((id) => !open.includes(id)));
}

const failure = { kind: 'error', status: 500, code: 9999 } as const;
const faults: readonly (readonly [string, Partial<Faults>])[] = [
  ['that worked and says it failed', { deleteAnswers500AfterDeleting: true }],
  ['that fails', { api: [{ operations: ['deleteSession'], answer: failure }] }],
  ['that fails once', { api: [{ operations: ['deleteSession'], first: 1, answer: failure }] }],
  [
    'whose outcome cannot be read',
    { api: [{ operations: ['getSession'], after: 1, answer: failure }] },
  ],
];

describe('a budget that ends at a DELETE', () => {
  it.each(faults)('%s leaves nothing untold, and is not exceeded', async (_, fault) => {
    Object.assign(rig.emulator.faults, fault);
    for (const maxRequests of [4, 5, 6, 7, 9, 13]) {
      rig.emulator.stats.reset();
      await expectTold(await pruned({ maxRequests }));
      expect(rig.emulator.stats.totalRequests).toBeLessThanOrEqual(maxRequests);
    }
  });

  it('reads the outcome with the request that it has kept, and settles it in the same run', async () => {
    rig.emulator.faults.deleteAnswers500AfterDeleting = true;
    const summary = await pruned({ maxRequests: 1 + BEHIND + DELETION });
    expect(outcomes(summary)).toEqual({ a1: 'deleted', a2: 'budget', b1: 'budget', b2: 'budget' });
    expect([await rig.intents(), await rig.recorded()]).toEqual([[], ['a1 confirmed']]);
  });

  it('leaves the intent to the next run where that request is not answered, and says so', async () => {
    rig.emulator.faults.api = [{ operations: ['getSession'], after: 1, answer: failure }];
    const { sessions, deletions } = await pruned({ maxRequests: 1 + BEHIND + DELETION });
    expect(sessions[0]).toMatchObject({ session: 'a1', outcome: 'refused', reason: 'unconfirmed' });
    expect(sessions[0]?.detail).toBe(
      'whether it is gone could not be read (the budget of 6 requests is spent): the next prune finds out',
    );
    expect(deletions).toEqual({ deleted: 0, refused: 1, left: 3, held: 0 });
    rig.emulator.faults.api = [];
    expect(outcomes(await pruned({}))).toMatchObject({ a1: 'deleted' });
    expect(await rig.intents()).toEqual([]);
  });

  it('leaves deletions of earlier runs open that it has no request for', async () => {
    await rig.beginDeletion('ann', 'a1');
    await rig.beginDeletion('ann', 'a2');
    const summary = await pruned({ maxRequests: 1 });
    expect(summary).toMatchObject({ status: 'complete', unfinished: 1, deletions: { left: 4 } });
    expect(await rig.intents()).toHaveLength(1);
  });
});

const operations = ['listSessions', 'getHistory', 'getSession', 'deleteSession'] as const;
const moments = operations.flatMap((operation) =>
  [1, 2, 3].map((nth) => [operation, nth] as const),
);

it.each(moments)(
  'a budget of time that is over with %s %i begins nothing more',
  async (operation, nth) => {
    const clock = new MovedClock();
    let isOver = false;
    clock.monotonic = () => performance.now() + (isOver ? 60_000 : 0);
    const late: string[] = [];
    rig.emulator.faults.beforeRequest = (request) => {
      if (isOver) late.push(request.operation);
      isOver ||= request.operation === operation && request.nth === nth;
    };
    const summary = await pruned({ maxDurationMs: 60_000 }, clock);
    // the final check is ended, and the outcome of a DELETE is read
    const isFinalCheck = operation === 'getSession' && nth % 2 === 1;
    const underWay = {
      getSession: isFinalCheck ? ['getHistory'] : [],
      deleteSession: ['getSession'],
    };
    expect(late).toEqual({ listSessions: [], getHistory: [], ...underWay }[operation]);
    expect([summary.status, await rig.intents()]).toEqual(['complete', []]);
    expect(summary.deletions).toMatchObject({ refused: 0, left: rig.left().length });
  },
);
