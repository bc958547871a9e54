import { expect, it } from 'vitest';
import type { FileLocation, FileOutcome } from '../../../src/artifacts/artifact-fetcher.js';
import type { Attempt } from '../../../src/artifacts/attempt.js';
import { FakeClock } from '../../support/base/fake-clock.js';
import { arrived, errorPage, refused, simulate } from '../../support/http/simulated-downloads.js';
import { failureOf } from '../../support/http/test-client.js';
import { fault } from '../../support/base/fault.js';

const LIFE_MS = 600_000;
const broken: Attempt = {
  kind: 'retry',
  reason: 'files.example reset the connection',
  afterMs: null,
};

interface Story {
  /** What each try comes to, in turn; the last one for ever. */
  readonly attempts: readonly (Attempt | Error)[];
  /** How long the answer of each try takes, in turn; then none. */
  readonly answersAfterMs?: readonly number[];
  /** The deadline of the first URL. */
  readonly deadlineMs?: number | null;
  /** What each refresh brings; by default a URL with ten minutes to live. */
  readonly refresh?: (count: number, clock: FakeClock) => FileLocation | undefined;
  readonly maxMs?: number;
}

/** Lives one file's life; tells which URLs were tried, and when. */
async function live(story: Story) {
  const clock = new FakeClock();
  const tried: string[] = [];
  let refreshes = 0;
  const { settle } = simulate({
    clock,
    concurrency: 2,
    async attempt(url) {
      const attempt = story.attempts[tried.length] ?? story.attempts.at(-1) ?? arrived;
      const waitMs = story.answersAfterMs?.[tried.length] ?? 0;
      tried.push(`${url.pathname.slice(1)} at ${clock.monotonic()}`);
      if (waitMs > 0) await clock.sleep(waitMs);
      if (attempt instanceof Error) throw attempt;
      return attempt;
    },
  });
  const { deadlineMs = LIFE_MS } = story;
  const settling = settle({
    kind: 'TABLE',
    location: { url: 'https://files.example/url0', deadlineMs },
    refresh: () =>
      Promise.resolve().then(() => {
        refreshes++;
        if (story.refresh) return story.refresh(refreshes, clock);
        const url = `https://files.example/url${refreshes}`;
        return { url, deadlineMs: clock.monotonic() + LIFE_MS };
      }),
  });
  let outcome: FileOutcome | undefined;
  void settling.then(
    (settled) => (outcome = settled),
    () => undefined,
  );
  await clock.advance(story.maxMs ?? 600_000);
  return { outcome: outcome ?? (await settling), tried, refreshes };
}

it('the life of a file is one request where the URL works', async () => {
  const { outcome, tried, refreshes } = await live({ attempts: [arrived] });
  expect(outcome.status).toBe('stored');
  expect(tried).toEqual(['url0 at 0']);
  expect(refreshes).toBe(0);
});

it('a file frees its connection for the next file once downloaded, before it is inspected', async () => {
  const clock = new FakeClock();
  const tried: string[] = [];
  const { settle } = simulate({
    clock,
    concurrency: 1,
    async attempt(url, _signal, onReceived) {
      tried.push(`${url.pathname.slice(1)} at ${clock.monotonic()}`);
      await clock.sleep(20);
      onReceived();
      await clock.sleep(1000);
      return arrived;
    },
  });
  const outcomes = ['one', 'two', 'three'].map((name) =>
    settle({
      kind: 'TABLE',
      location: { url: `https://files.example/${name}`, deadlineMs: null },
      refresh: () => Promise.resolve(undefined),
    }),
  );
  await clock.advance(2000);
  expect(await Promise.all(outcomes)).toEqual(Array(3).fill({ status: 'stored' }));
  expect(tried).toEqual(['one at 0', 'two at 20', 'three at 40']);
});

it('the life of a file does not request a URL that is past its deadline, but a fresh one', async () => {
  const { outcome, tried } = await live({ attempts: [arrived], deadlineMs: -1 });
  expect(outcome.status).toBe('stored');
  expect(tried).toEqual(['url1 at 0']);
});

it('the life of a file gets a fresh URL after a refusal', async () => {
  const { outcome, tried } = await live({ attempts: [refused, arrived] });
  expect(outcome.status).toBe('stored');
  expect(tried).toEqual(['url0 at 0', 'url1 at 0']);
});

it(
  'the life of a file is forbidden when two fresh URLs are refused well inside their life',
  fault('F-18'),
  async () => {
    const { outcome, refreshes } = await live({ attempts: [refused] });
    expect(outcome).toEqual({
      status: 'forbidden',
      reason: 'files.example answered 403, also from fresh URLs',
    });
    expect(refreshes).toBe(1);
  },
);

it('the life of a file does not blame a fresh URL that ran out before the host answered', async () => {
  const { outcome, tried } = await live({
    attempts: [refused, refused, arrived],
    answersAfterMs: [LIFE_MS + 1, LIFE_MS + 1, 0],
    maxMs: 4 * LIFE_MS,
  });
  expect(outcome.status).toBe('stored');
  expect(tried).toHaveLength(3);
});

it('the life of a file is expired when every URL runs out before the host answers', async () => {
  const { outcome, tried } = await live({
    attempts: [refused],
    answersAfterMs: [LIFE_MS + 1, LIFE_MS + 1, LIFE_MS + 1],
    maxMs: 4 * LIFE_MS,
  });
  expect(outcome).toEqual({
    status: 'expired',
    reason: 'files.example answered 403, after the URL had expired; given up after 3 attempts',
  });
  expect(tried).toHaveLength(3);
});

it('the life of a file is rejected when two fresh URLs give an error page', async () => {
  const { outcome, refreshes } = await live({ attempts: [errorPage] });
  expect(outcome).toEqual({
    status: 'rejected',
    reason: 'files.example sent text/html, also from fresh URLs',
  });
  expect(refreshes).toBe(1);
});

it('the life of a file ends for a URL without a deadline, too, when it is refused for ever', async () => {
  const refresh = (count: number) => ({
    url: `https://files.example/${count}`,
    deadlineMs: null,
  });
  const { outcome, refreshes } = await live({ attempts: [refused], deadlineMs: null, refresh });
  expect(outcome.status).toBe('forbidden');
  expect(refreshes).toBe(1);
});

it('the life of a file tries a fresh URL at once even when it claims to be dead on arrival', async () => {
  const refresh = (count: number) => ({
    url: `https://files.example/${count}`,
    deadlineMs: -5000,
  });
  const { outcome, tried } = await live({ attempts: [arrived], deadlineMs: -1, refresh });
  expect(outcome.status).toBe('stored');
  expect(tried).toEqual(['1 at 0']);
  const never = await live({ attempts: [refused], deadlineMs: -1, refresh });
  expect(never.outcome.status).toBe('forbidden');
  expect(never.refreshes).toBe(2);
});

it('the life of a file tries its last URL once more when the history no longer has the file', async () => {
  const refresh = () => undefined;
  const lucky = await live({ attempts: [arrived], deadlineMs: -1, refresh });
  expect(lucky.outcome.status).toBe('stored');
  expect(lucky.tried).toEqual(['url0 at 0']);
  const unlucky = await live({ attempts: [refused], deadlineMs: -1, refresh });
  expect(unlucky.outcome).toEqual({
    status: 'expired',
    reason: 'the URL at files.example has expired and the history no longer has the file',
  });
  expect(unlucky.tried).toHaveLength(1);
  const refusedBefore = await live({ attempts: [refused], refresh });
  expect(refusedBefore.outcome.status).toBe('expired');
  expect(refusedBefore.tried).toHaveLength(1);
});

it('a file has failed when the page cannot be read again, and the reason holds no query string', async () => {
  const refresh = () => {
    throw new Error('GET https://api.example/history?sig=canary answered 500');
  };
  const { outcome } = await live({ attempts: [refused], refresh });
  expect(outcome).toEqual({
    status: 'failed',
    reason:
      'the page could not be read again for a fresh URL: GET https://api.example/history?… answered 500',
  });
});

it('a file backs off between failed attempts and says in the end how many there were', async () => {
  const { outcome, tried } = await live({ attempts: [broken] });
  expect(tried).toEqual(['url0 at 0', 'url0 at 250', 'url0 at 750']);
  expect(outcome).toEqual({
    status: 'failed',
    reason: 'files.example reset the connection; given up after 3 attempts',
  });
});

it('the life of a file waits as long as the host asks, and gives up a host that asks too much', async () => {
  const busy = (afterMs: number): Attempt => ({
    kind: 'retry',
    reason: 'files.example answered 503',
    afterMs,
  });
  const { tried } = await live({ attempts: [busy(7000), arrived] });
  expect(tried).toEqual(['url0 at 0', 'url0 at 7000']);
  const { outcome } = await live({ attempts: [busy(3_600_000)] });
  expect(outcome).toEqual({
    status: 'failed',
    reason: 'files.example answered 503 and asks to wait 3600 s; given up after 1 attempt',
  });
});

it('the life of a file uses a fresh URL when the old one has run out during a wait', async () => {
  const { tried } = await live({ attempts: [broken, arrived], deadlineMs: 100 });
  expect(tried).toEqual(['url0 at 0', 'url1 at 250']);
});

it.each(['missing', 'rejected', 'failed'] as const)(
  'the life of a file is %s at once when the try says so',
  async (kind) => {
    const { outcome, tried } = await live({ attempts: [{ kind, reason: 'why' }] });
    expect(outcome).toEqual({ status: kind, reason: 'why' });
    expect(tried).toHaveLength(1);
  },
);

it('the life of a file throws what the storage throws', async () => {
  const full = new Error('no space left');
  expect(await failureOf(live({ attempts: [full] }))).toBe(full);
});

const reason = new Error('stop');
const forever = () => new Promise<never>(() => undefined);
const location = { url: 'https://files.example/url0', deadlineMs: LIFE_MS };

it('an aborted file stops waiting for its turn, and leaves the slots to others', async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  let release: () => void = () => undefined;
  const { settle } = simulate({
    clock,
    concurrency: 1,
    attempt: () => new Promise((resolve) => (release = () => resolve(arrived))),
  });
  const request = { kind: 'TABLE', location, refresh: forever };
  const first = settle(request);
  const second = settle(request, controller.signal);
  const third = settle(request);
  controller.abort(reason);
  expect(await failureOf(second)).toBe(reason);
  release();
  await first;
  await clock.advance(0);
  release();
  expect((await third).status).toBe('stored');
});

it('an aborted file stops waiting between two attempts', async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const { settle } = simulate({ clock, concurrency: 1, attempt: () => Promise.resolve(broken) });
  const settling = settle({ kind: 'TABLE', location, refresh: forever }, controller.signal);
  await clock.advance(1);
  expect(clock.sleeping).toBe(1);
  controller.abort(reason);
  expect(await failureOf(settling)).toBe(reason);
  expect(clock.sleeping).toBe(0);
});

it('an aborted file does not count as a page that cannot be read again', async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const { settle } = simulate({ clock, concurrency: 1, attempt: () => Promise.resolve(refused) });
  const refresh = (signal?: AbortSignal) =>
    new Promise<never>((_, reject) =>
      signal?.addEventListener('abort', () => reject(new Error('aborted'))),
    );
  const settling = settle({ kind: 'TABLE', location, refresh }, controller.signal);
  await clock.advance(1);
  controller.abort(reason);
  expect(await failureOf(settling)).toBe(reason);
});
