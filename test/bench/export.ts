/**
 * CPU of an export against the floor: fetching the same pages and JSON.parse, nothing else. The emulator,
 * the floor and every export run in processes of their own, so that each one's CPU is its own.
 * Usage: node dist/bench/test/bench/export.js [--jobs 14400] [--rounds 3] [--files 0] [--profile <directory>]
 */
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Agent } from 'undici';
import { startEmulator } from '../../src/emulator/emulator.js';
import { exportToArchive } from '../../src/export/export-to-archive.js';

const SESSION_JOBS = 120;
const BLOCKS = 20;
const PAGE_SIZE = 100;
/** Above what any machine reaches: CPU is measured, not the limiter. */
const RATE = 100_000;

interface Usage {
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly peakMb: number;
  readonly requests: number;
  readonly jobs: number;
}

interface Service {
  readonly baseUrl: string;
  readonly users: readonly string[];
}

async function serve(jobs: number, files: number): Promise<void> {
  const sessions = Math.max(1, Math.ceil(jobs / 4 / SESSION_JOBS));
  const emulator = await startEmulator({
    users: 4,
    sessions,
    jobs: Math.ceil(jobs / 4 / sessions),
    exactJobs: true,
    blocksPerJob: BLOCKS,
    artifactsPerJob: files,
  });
  process.send?.({ baseUrl: emulator.baseUrl, users: emulator.state.userIds() });
}

/** What any program does that reads the pages: ask for them, take the bytes, parse them. */
async function readPages({ baseUrl, users }: Service): Promise<Pick<Usage, 'requests' | 'jobs'>> {
  const agent = new Agent({ connections: 8 });
  let requests = 0;
  let jobs = 0;
  const page = async (path: string): Promise<{ records: { id: string }[] }> => {
    const url = new URL(baseUrl + path);
    requests++;
    const { body } = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: { 'x-pd-api-key': 'demo-key' },
    });
    return (JSON.parse(await body.text()) as { data: { records: { id: string }[] } }).data;
  };
  for (const user of users) {
    const { records } = await page(`/v2/team/sessions?user_id=${user}&page_size=${PAGE_SIZE}`);
    const histories = records.map(async ({ id }) => {
      for (let number = 1; ; number++) {
        const query = `user_id=${user}&page_size=${PAGE_SIZE}&page_number=${number}`;
        const { length } = (await page(`/v2/team/sessions/${id}/history?${query}`)).records;
        jobs += length;
        if (length < PAGE_SIZE) return;
      }
    });
    await Promise.all(histories);
  }
  await agent.close();
  return { requests, jobs };
}

async function archive(
  { baseUrl, users }: Service,
  out: string,
  format: 'parquet' | 'jsonl',
): Promise<Pick<Usage, 'requests' | 'jobs'>> {
  const { summary, error } = await exportToArchive({
    baseUrl,
    apiKey: 'demo-key',
    users,
    out,
    formats: [format],
    rate: RATE,
  });
  if (error !== undefined) throw new Error('the export was broken off', { cause: error });
  return { requests: summary.requests.api, jobs: summary.jobs.archived };
}

/** The work of a child process; what it used is its last line. */
async function work(task: string, service: Service, out: string): Promise<void> {
  const started = performance.now();
  const before = process.cpuUsage();
  const done =
    task === 'floor'
      ? await readPages(service)
      : await archive(service, out, task === 'jsonl' ? 'jsonl' : 'parquet');
  const { user, system } = process.cpuUsage(before);
  const usage: Usage = {
    ...done,
    cpuSeconds: (user + system) / 1e6,
    seconds: (performance.now() - started) / 1000,
    peakMb: process.resourceUsage().maxRSS / 1024,
  };
  process.stdout.write(JSON.stringify(usage));
}

function measured(task: string, service: Service, out: string, flags: readonly string[]): Usage {
  const self = fileURLToPath(import.meta.url);
  const child = spawnSync(process.execPath, [
    ...flags,
    self,
    'work',
    task,
    JSON.stringify(service),
    out,
  ]);
  if (child.status !== 0) throw new Error(child.stderr.toString());
  return JSON.parse(child.stdout.toString()) as Usage;
}

function median(usages: readonly Usage[]): Usage {
  const sorted = usages.toSorted((a, b) => a.cpuSeconds - b.cpuSeconds);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (!middle) throw new Error('nothing was measured');
  return middle;
}

async function started(jobs: number, files: number): Promise<[ChildProcess, Service]> {
  const self = fileURLToPath(import.meta.url);
  const child = fork(self, ['serve', String(jobs), String(files)]);
  const [service] = (await once(child, 'message')) as [Service];
  return [child, service];
}

async function compare(): Promise<void> {
  const { values } = parseArgs({
    options: {
      jobs: { type: 'string', default: '14400' },
      rounds: { type: 'string', default: '3' },
      files: { type: 'string', default: '0' },
      profile: { type: 'string' },
      only: { type: 'string' },
    },
  });
  const [emulator, service] = await started(Number(values.jobs), Number(values.files));
  const directory = mkdtempSync(join(tmpdir(), 'jobvault-bench-'));
  const tasks = ['floor', 'parquet', 'again', 'jsonl'].filter(
    (task) => !values.only || task === 'floor' || values.only.split(',').includes(task),
  );
  const usages = new Map<string, Usage[]>(tasks.map((task) => [task, []]));
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const task of tasks) {
      const flags =
        values.profile === undefined || task === 'floor'
          ? []
          : ['--cpu-prof', `--cpu-prof-dir=${join(values.profile, task)}`];
      // the unchanged second run has the archive of this round's first
      const out = join(directory, `${task === 'again' ? 'parquet' : task}-${round}`);
      usages.get(task)?.push(measured(task, service, out, flags));
    }
  }
  emulator.kill();
  rmSync(directory, { recursive: true, force: true });
  const floor = median(usages.get('floor') ?? []).cpuSeconds;
  for (const [task, all] of usages) {
    const { cpuSeconds, seconds, peakMb, requests, jobs } = median(all);
    const spread = all.map((one) => one.cpuSeconds.toFixed(1)).join(' ');
    process.stdout.write(
      `${task.padEnd(8)} ${cpuSeconds.toFixed(2)} s CPU (${spread}), ${(cpuSeconds / floor).toFixed(1)} x floor, ` +
        `${seconds.toFixed(1)} s, peak ${peakMb.toFixed(0)} MB, ${requests} requests, ${jobs} jobs\n`,
    );
  }
}

const [action, first = '', second = '', third = ''] = process.argv.slice(2);
if (action === 'serve') await serve(Number(first), Number(second));
else if (action === 'work') await work(first, JSON.parse(second) as Service, third);
else await compare();
