import { expect, it } from 'vitest';
import { FakeClock } from '../../support/base/fake-clock.js';
import {
  arrived,
  issuedMsOf,
  refused,
  simulatedPage,
  simulate,
} from '../../support/http/simulated-downloads.js';

interface Load {
  readonly lifeMs: number;
  readonly downloadMs: number;
  readonly concurrency: number;
  readonly pages: number;
  readonly filesPerPage: number;
  readonly readers?: number;
  /** Whether the readers wait until there is room. */
  readonly isPatient?: boolean;
}

/** Reads every page as the export does and downloads its files; the host refuses a URL once its life is over. */
async function run(load: Load) {
  const { lifeMs, downloadMs, concurrency, readers = 1, isPatient = true } = load;
  const clock = new FakeClock();
  const count = { requests: 0, attempts: 0, refusals: 0 };
  const downloads = simulate({
    clock,
    concurrency,
    async attempt(url, signal) {
      count.attempts++;
      if (clock.monotonic() >= issuedMsOf(url) + lifeMs) {
        count.refusals++;
        return refused;
      }
      await clock.sleep(downloadMs, signal);
      return arrived;
    },
  });
  const onRequest = () => {
    count.requests++;
  };
  const pages = Array.from({ length: load.pages }, (_, index) =>
    simulatedPage({
      clock,
      lifeMs,
      onRequest,
      name: `p${index}`,
      files: load.filesPerPage,
      requestMs: 50,
    }),
  );
  const outcomes: string[] = [];
  const next = pages.values();
  async function readOn(): Promise<void> {
    for (const page of next) {
      if (isPatient) await downloads.ready();
      await page.read();
      for (const [index, location] of page.locations().entries()) {
        const refresh = async () => {
          await page.read();
          return page.locations()[index];
        };
        const file = downloads.settle({ kind: 'TABLE', location, refresh });
        void file.then(({ status }) => outcomes.push(status));
      }
    }
  }
  const reading = Promise.all(Array.from({ length: readers }, readOn));
  const files = load.pages * load.filesPerPage;
  const idealMs = (files * downloadMs) / concurrency;
  while (outcomes.length < files && clock.monotonic() < 20 * idealMs) {
    await clock.advance(downloadMs);
  }
  await reading;
  const stored = outcomes.filter((status) => status === 'stored').length;
  return { ...count, stored, files, elapsed: clock.monotonic() / idealMs };
}

it('every file is stored where URLs live 2 s and downloads take 400 ms, four at a time', async () => {
  const result = await run({
    lifeMs: 2000,
    downloadMs: 400,
    concurrency: 4,
    pages: 30,
    filesPerPage: 20,
  });
  expect(result.stored).toBe(600);
  expect(result.elapsed).toBeLessThan(1.2);
  // A reading of a page pays for at least four files.
  expect(result.requests).toBeLessThanOrEqual(result.files / 4);
  expect(result.refusals).toBe(0);
});

it('every file is stored of pages far too large for the life of their URLs', async () => {
  const result = await run({
    lifeMs: 2000,
    downloadMs: 400,
    concurrency: 4,
    pages: 4,
    filesPerPage: 100,
  });
  expect(result.stored).toBe(400);
  expect(result.requests).toBeLessThanOrEqual(result.files / 4);
  expect(result.elapsed).toBeLessThan(1.2);
});

it('every file is stored when eight readers bring pages that nobody could absorb', async () => {
  const load = { lifeMs: 2000, downloadMs: 400, concurrency: 4, pages: 24, filesPerPage: 20 };
  const result = await run({ ...load, readers: 8, isPatient: false });
  expect(result.stored).toBe(480);
  expect(result.requests).toBeLessThanOrEqual(result.files / 4);
  expect(result.elapsed).toBeLessThan(1.3);
});

it('every file is stored where a URL dies before a second download could begin', async () => {
  const result = await run({
    lifeMs: 300,
    downloadMs: 400,
    concurrency: 4,
    pages: 5,
    filesPerPage: 10,
  });
  expect(result.stored).toBe(50);
});

it('every file is stored if a URL expires before the next in the queue is examined', async () => {
  const result = await run({
    lifeMs: 1,
    downloadMs: 400,
    concurrency: 1,
    pages: 3,
    filesPerPage: 5,
  });
  expect(result.stored).toBe(15);
});

it('each page is read once where there is time enough', async () => {
  const load = { lifeMs: 600_000, downloadMs: 400, concurrency: 8, pages: 50, filesPerPage: 20 };
  const result = await run({ ...load, readers: 4 });
  expect(result).toMatchObject({ stored: 1000, requests: 50, refusals: 0, attempts: 1000 });
  expect(result.elapsed).toBeLessThan(1.1);
});
