/** `npm run soak`: exports for a long time from a service of which 5 % of everything fails, and compares all in the end. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { exportToArchive } from '../../src/export/export-to-archive.js';
import { SoakArchive } from './soak-archive.js';
import type { ToSoak } from './soak-protocol.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '30' },
    seed: { type: 'string', default: '1' },
    failing: { type: 'string', default: '5' },
    'people-ms': { type: 'string', default: '250' },
  },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new Error('--minutes must be a number above 0');

/** Of the memory at the end of the first quarter, that of the last one may be this much. */
const MOST_GROWTH = 2;
const SAMPLE_MS = 1000;
const TOLD_MS = 60_000;

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const service = fork(new URL('soaked-service.js', import.meta.url), [
  values.seed,
  values.failing,
  values['people-ms'],
]);
const out = await mkdtemp(join(tmpdir(), 'jobvault-soak-'));
const began = performance.now();
const end = began + minutes * 60_000;
const samples: { readonly atMs: number; readonly heapMB: number; readonly rssMB: number }[] = [];
const counts = { exports: 0, complete: 0, gaps: 0, jobs: 0, api: 0, files: 0, retries: 0 };

try {
  const ready = await told(service, 'ready');
  const sampling = setInterval(sample, SAMPLE_MS);
  const telling = setInterval(tell, TOLD_MS);
  while (performance.now() < end) {
    await exportOnce(ready, counts.exports % 10 === 9);
    await pause(200);
  }
  clearInterval(sampling);
  clearInterval(telling);
  service.send('heal');
  const healed = await told(service, 'healed');
  const status = await exportOnce(ready, true);
  tell();
  const archive = await SoakArchive.open(out);
  const wrong = [...(await archive.problems()), ...(await archive.differences(healed.jobs))];
  if (status !== 'complete') wrong.push(`the last export is ${status}`);
  const [early, late] = [peak(0, 0.25), peak(0.75, 1)];
  if (late.heapMB > early.heapMB * MOST_GROWTH) wrong.push('the memory has grown');
  for (const one of wrong.slice(0, 20)) say(`WRONG: ${one}`);
  say(
    `${healed.jobs.length} jobs at the service, ${archive.jobs} job versions archived in ${archive.commits} commits: ${wrong.length === 0 ? 'exactly the same' : `${wrong.length} differences`}`,
  );
  say(
    `memory, peak of the first and of the last quarter: heap ${early.heapMB} and ${late.heapMB} MB, resident ${early.rssMB} and ${late.rssMB} MB`,
  );
  process.exitCode = wrong.length === 0 ? 0 : 1;
} finally {
  const gone = once(service, 'exit');
  service.send('close');
  await gone;
  if (process.exitCode === 0) await rm(out, { recursive: true, force: true });
  else say(`the archive stays in ${out}`);
}

async function exportOnce(
  { baseUrl, users }: Extract<ToSoak, { readonly kind: 'ready' }>,
  full: boolean,
): Promise<string> {
  const { summary, error } = await exportToArchive({
    baseUrl,
    users,
    out,
    full,
    apiKey: 'demo-key',
    rate: 500,
    formats: ['jsonl'],
    allowPrivateNetwork: true,
    checkpointIntervalMs: 5000,
  });
  if (error !== undefined) throw error as Error;
  counts.exports++;
  if (summary.status === 'complete') counts.complete++;
  counts.gaps += summary.gaps.length;
  counts.jobs += summary.jobs.archived;
  counts.api += summary.requests.api;
  counts.files += summary.requests.files;
  counts.retries += summary.requests.retries;
  return summary.status;
}

function sample(): void {
  const { heapUsed, rss } = process.memoryUsage();
  const atMs = performance.now() - began;
  samples.push({ atMs, heapMB: Math.round(heapUsed / 1e6), rssMB: Math.round(rss / 1e6) });
}

/** @param from share of the time, up to `to` */
function peak(from: number, to: number): { readonly heapMB: number; readonly rssMB: number } {
  const all = (end - began) * 1;
  const those = samples.filter(({ atMs }) => atMs >= all * from && atMs <= all * to);
  const most = (key: 'heapMB' | 'rssMB'): number => Math.max(0, ...those.map((one) => one[key]));
  return { heapMB: most('heapMB'), rssMB: most('rssMB') };
}

function tell(): void {
  const { exports, complete, gaps, jobs, api, files, retries } = counts;
  const { heapMB = 0, rssMB = 0 } = samples.at(-1) ?? {};
  const minute = ((performance.now() - began) / 60_000).toFixed(1);
  say(
    `${minute} min: ${exports} exports (${complete} complete, ${gaps} gaps on the way), ${jobs} job versions, ${api} requests, ${files} downloads, ${retries} retries, heap ${heapMB} MB, resident ${rssMB} MB`,
  );
}

async function told<Kind extends ToSoak['kind']>(
  from: ChildProcess,
  kind: Kind,
): Promise<Extract<ToSoak, { readonly kind: Kind }>> {
  for (;;) {
    const [message] = (await once(from, 'message')) as [ToSoak];
    if (message.kind === kind) return message as Extract<ToSoak, { readonly kind: Kind }>;
  }
}
