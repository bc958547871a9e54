import { expect, it } from 'vitest';
import { createDownloadQueue } from '../../../src/artifacts/download-queue.js';

/** A queue whose clock the test sets, with a log of who got which turn. */
function queueOf(concurrency: number, capacity = concurrency) {
  const time = { ms: 0 };
  const queue = createDownloadQueue({
    concurrency,
    clock: { monotonic: () => time.ms },
    capacity: { files: () => capacity },
  });
  type Turn = Awaited<ReturnType<typeof queue.turn>>;
  const log: string[] = [];
  const turns = new Map<string, Turn>();
  let order = 0;
  const { signal } = new AbortController();
  const ask = (name: string, deadlineMs: number | null, isStale = false): void => {
    void queue.turn({ order: order++, deadlineMs, isStale }, signal).then((turn) => {
      log.push(`${name}: ${turn.action}`);
      turns.set(name, turn);
    });
  };
  const turnOf = (name: string): Turn => {
    const turn = turns.get(name);
    if (!turn) throw new Error(`${name} has had no turn`);
    return turn;
  };
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { time, log, ask, turnOf, settled };
}

it('the download queue serves the earliest deadline first, and the oldest among equals', async () => {
  const { log, ask, turnOf, settled } = queueOf(1);
  ask('first', 9000);
  ask('late', 8000);
  ask('soon', 1000);
  ask('soon, too', 1000);
  ask('unknown', null); // queued as though it had ten minutes
  ask('far', 700_000);
  for (const name of ['first', 'soon', 'soon, too', 'late', 'unknown']) {
    await settled();
    turnOf(name).leave();
  }
  await settled();
  expect(log.map((line) => line.split(':')[0])).toEqual([
    'first',
    'soon',
    'soon, too',
    'late',
    'unknown',
    'far',
  ]);
});

it('the download queue hands out no more slots than there are', async () => {
  const { log, ask, turnOf, settled } = queueOf(2);
  for (const name of ['a', 'b', 'c', 'd']) ask(name, 1000);
  await settled();
  expect(log).toEqual(['a: download', 'b: download']);
  turnOf('a').leave();
  turnOf('a').leave(); // twice is harmless
  await settled();
  expect(log).toHaveLength(3);
});

it('the download queue refreshes dead URLs only when no live one is left', async () => {
  const { time, log, ask, turnOf, settled } = queueOf(1);
  ask('running', 9000);
  ask('dies', 1000);
  ask('lives', 9000);
  await settled();
  time.ms = 1000;
  turnOf('running').leave();
  await settled();
  expect(log).toEqual(['running: download', 'lives: download']);
  turnOf('lives').leave();
  await settled();
  expect(log.at(-1)).toBe('dies: refresh and download');
});

it('a queue refreshes as many at a time as can be used, the oldest first, in rounds', async () => {
  const { log, ask, turnOf, settled } = queueOf(2, 3);
  ask('x', 9000);
  ask('y', 9000);
  for (const name of ['a', 'b', 'c', 'd']) ask(name, null, true);
  await settled();
  turnOf('x').leave();
  await settled();
  expect(log.slice(2)).toEqual(['a: refresh and download', 'b: refresh', 'c: refresh']);
  turnOf('y').leave();
  turnOf('b').leave();
  turnOf('a').refreshed();
  await settled();
  expect(log).toHaveLength(5);
  turnOf('c').leave();
  await settled();
  expect(log.at(-1)).toBe('d: refresh and download');
});

it('a queue keeps a slot for the oldest dead file while it is refreshed, whatever arrives', async () => {
  const { log, ask, turnOf, settled } = queueOf(1);
  ask('old', null, true);
  ask('live', 9000);
  await settled();
  expect(log).toEqual(['old: refresh and download']);
  turnOf('old').refreshed();
  await settled();
  expect(log).toHaveLength(1);
  turnOf('old').leave();
  await settled();
  expect(log.at(-1)).toBe('live: download');
});

it('a file queued again with a fresh URL is live; no round starts before it', async () => {
  const { log, ask, turnOf, settled } = queueOf(2);
  ask('x', 9000);
  ask('y', 9000);
  for (const name of ['a', 'b', 'c', 'd']) ask(name, null, true);
  await settled();
  turnOf('x').leave();
  turnOf('y').leave();
  await settled();
  expect(log.slice(2)).toEqual(['a: refresh and download', 'b: refresh']);
  turnOf('a').refreshed();
  turnOf('b').leave();
  ask('b again', 9000);
  await settled();
  expect(log.slice(4)).toEqual(['b again: download']);
});
