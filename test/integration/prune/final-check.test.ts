/** The final check of a session, and the one DELETE that rests on it: against the emulator, over real sockets. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/runtime.js';
import type { ApiFaultAnswer, SeenRequest } from '../../../src/emulator/faults/faults.js';
import { outcomes, PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSessions('ann', ['a1', 'a2']);
  await rig.rig.archived();
});
afterEach(() => rig[Symbol.asyncDispose]());

/** Waits of a few seconds take no time; longer ones are deadlines and leases, and real. */
class SkippingClock implements Clock {
  skippedMs = 0;
  constructor(readonly onWait: () => void = () => undefined) {}
  now = (): number => systemClock.now() + this.skippedMs;
  monotonic = (): number => systemClock.monotonic() + this.skippedMs;
  sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
    if (ms > 5000) return systemClock.sleep(ms, signal);
    this.skippedMs += Math.max(0, ms);
    this.onWait();
    return systemClock.sleep(0, signal);
  };
}

function rename(user: string, session: string): void {
  const jobs = rig.state.jobIds(user, session).map((job) => rig.state.jobText(user, session, job));
  rig.state.addSession(user, { id: session, name: 'Another name' }, jobs);
}

/** The requests for one session, in order, each by its operation. */
function requestsFor(session: string, also?: (request: SeenRequest) => void): string[] {
  const seen: string[] = [];
  rig.emulator.faults.beforeRequest = (request) => {
    if (request.pathId !== session) return;
    seen.push(request.operation);
    also?.(request);
  };
  return seen;
}

describe('a DELETE without a clear answer', () => {
  const answers: readonly (readonly [string, ApiFaultAnswer])[] = [
    ['503 with Retry-After', { kind: 'error', status: 503, retryAfter: '2' }],
    ['429', { kind: 'error', status: 429, code: 201 }],
    ['500', { kind: 'error', status: 500, code: 9999 }],
    ['a web page', { kind: 'html' }],
    ['half an answer', { kind: 'body', body: '{"code":' }],
    ['nothing', { kind: 'body', body: '' }],
  ];

  it.each(answers)(
    '(%s) is not repeated where a question was asked meanwhile',
    fault('F-50'),
    async (_, answer) => {
      rig.emulator.faults.api = [{ operations: ['deleteSession'], pathId: 'a1', first: 1, answer }];
      const seen = requestsFor('a1', ({ operation }) => {
        if (operation === 'deleteSession') rig.grow('ann', 'a1');
      });
      const summary = await rig.pruned({ clock: new SkippingClock() });
      expect(outcomes(summary)).toEqual({ a1: 'grown', a2: 'deleted' });
      expect(seen.filter((operation) => operation === 'deleteSession')).toHaveLength(1);
      expect(rig.left()).toEqual(['a1']);
      await rig.rig.export();
      rig.emulator.faults.api = [];
      expect(outcomes(await rig.pruned())).toEqual({ a1: 'deleted' });
    },
  );

  it('is repeated after another final check of history and session', fault('F-50'), async () => {
    rig.emulator.faults.api = [
      {
        operations: ['deleteSession'],
        pathId: 'a1',
        first: 2,
        answer: { kind: 'error', status: 503, retryAfter: '2' },
      },
    ];
    const seen = requestsFor('a1');
    expect(outcomes(await rig.pruned({ clock: new SkippingClock() }))).toMatchObject({
      a1: 'deleted',
    });
    const attempt = ['getSession', 'getHistory', 'deleteSession'];
    expect(seen).toEqual(['getHistory', ...attempt, ...attempt, ...attempt, 'getSession']);
  });

  it('is given up after as many attempts as any other request, and said to be', async () => {
    rig.emulator.faults.api = [
      {
        operations: ['deleteSession'],
        pathId: 'a1',
        answer: { kind: 'error', status: 429, code: 201 },
      },
    ];
    const seen = requestsFor('a1');
    const summary = await rig.pruned({ clock: new SkippingClock() });
    expect(outcomes(summary)).toEqual({ a1: 'still-there', a2: 'deleted' });
    expect(seen.filter((operation) => operation === 'deleteSession')).toHaveLength(7);
    expect(await rig.intents()).toEqual([]);
  });
});

it(
  'the final check sees a name that changed after the sessions were listed',
  fault('F-51'),
  async () => {
    const seen: string[] = [];
    rig.emulator.faults.beforeRequest = ({ operation, pathId }) => {
      if (pathId === 'a2') seen.push(operation);
      if (pathId === 'a1' && operation === 'deleteSession') rename('ann', 'a2');
    };
    const summary = await rig.pruned();
    expect(outcomes(summary)).toEqual({ a1: 'deleted', a2: 'changed' });
    expect(summary.sessions.find(({ session }) => session === 'a2')?.detail).toBe(
      'its name or settings changed since (unlike in the list of sessions: name): to be archived by the next export',
    );
    expect(seen).toEqual(['getSession']);
    expect(await rig.intents()).toEqual([]);
  },
);

it(
  'the final check sees a question that is asked while it reads the session',
  fault('F-80'),
  async () => {
    let questions = 0;
    const seen = requestsFor('a1', ({ operation }) => {
      if (operation === 'getSession' && questions++ === 0) rig.grow('ann', 'a1');
    });
    expect(outcomes(await rig.pruned())).toEqual({ a1: 'grown', a2: 'deleted' });
    expect(seen).toEqual(['getHistory', 'getSession', 'getHistory']);
    expect(rig.left()).toEqual(['a1']);
  },
);

it('the final check is followed by the DELETE without a wait, however low the rate', async () => {
  const order: string[] = [];
  rig.emulator.faults.beforeRequest = ({ operation }) => void order.push(operation);
  const clock = new SkippingClock(() => void order.push('wait'));
  expect(await rig.pruned({ clock, rate: 1 })).toMatchObject({ deletions: { deleted: 2 } });
  const together = ['getSession', 'getHistory', 'deleteSession'];
  expect(order.filter((what) => what === 'deleteSession')).toHaveLength(2);
  for (const [index, what] of order.entries()) {
    if (what === 'deleteSession') expect(order.slice(index - 2, index + 1)).toEqual(together);
  }
});

it('the final check covers every page of a long history', async () => {
  rig.addSession('ann', 'long', { jobs: 250 });
  await rig.rig.export();
  const seen = requestsFor('long');
  expect(outcomes(await rig.pruned())).toMatchObject({ long: 'deleted' });
  const deletion = seen.indexOf('deleteSession');
  const [first, ...pages] = seen.slice(seen.lastIndexOf('getSession', deletion), deletion);
  expect([first, new Set(pages)]).toEqual(['getSession', new Set(['getHistory'])]);
  expect(pages.length).toBeGreaterThanOrEqual(3);
});

it('the final check sees an answer that changed while it read on and was sent again as another', async () => {
  rig.addSession('ann', 'long', { jobs: 250 });
  await rig.rig.export();
  const firstPage = rig.state.jobIds('ann', 'long').slice(-100);
  let reads = 0;
  requestsFor('long', ({ operation }) => {
    if (operation !== 'getHistory' || ++reads !== 2) return;
    for (const job of firstPage) rig.state.growAnswer('ann', 'long', job, 'and more');
  });
  expect(outcomes(await rig.pruned())).toMatchObject({ long: 'changed', a1: 'deleted' });
  expect(rig.left()).toEqual(['long']);
});

it('the final check is repeated where too much time has passed before the DELETE', async () => {
  const clock = new SkippingClock();
  let asked = 0;
  const seen = requestsFor('a1', ({ operation }) => {
    // the first request is for the page behind its history
    if (operation === 'getHistory' && ++asked === 2) clock.skippedMs += 11_000;
  });
  const summary = await rig.pruned({ clock });
  expect(outcomes(summary)).toMatchObject({ a1: 'deleted' });
  const check = ['getSession', 'getHistory'];
  expect(seen.slice(1, 6)).toEqual([...check, ...check, 'deleteSession']);
  expect(summary.longest_check_to_delete_ms).toBeLessThan(10_000);
});

it('the final check refuses in the end where that is always so', async () => {
  const clock = new SkippingClock();
  requestsFor('a1', ({ operation }) => {
    if (operation === 'getHistory') clock.skippedMs += 11_000;
  });
  const summary = await rig.pruned({ clock, rules: { all: true, sessions: ['a1'] } });
  expect(outcomes(summary)).toEqual({ a1: 'service' });
  expect(summary.sessions[0]?.detail).toContain('none was followed by a DELETE within 10.0 s');
  expect([rig.deletesSent, await rig.intents()]).toEqual([0, []]);
});

/** This machine's, wrong by so much; the service's is right. */
const wrongBy = (ms: number): Clock => ({
  ...systemClock,
  now: () => systemClock.now() + ms,
});
const MINUTE = 60_000;

it.each([400 * 24 * 60, 6, -6])(
  'a clock that contradicts the service by %i minutes stops every deletion',
  fault('F-57'),
  async (minutes) => {
    const summary = await rig.pruned({ clock: wrongBy(minutes * MINUTE), rules: { keep: 0 } });
    expect(outcomes(summary)).toEqual({ a1: 'clock', a2: 'clock' });
    expect(summary.sessions[0]?.detail).toMatch(
      minutes > 0 ? /^this machine's clock is .* ahead of/ : /^this machine's clock is .* behind/,
    );
    expect(rig.deletesSent).toBe(0);
  },
);

it('a clock that is a little wrong does not', async () => {
  const summary = await rig.pruned({ clock: wrongBy(4 * MINUTE), rules: { keep: 0 } });
  expect(summary.deletions.deleted).toBe(2);
});
