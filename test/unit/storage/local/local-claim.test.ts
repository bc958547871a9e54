import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sha256Hex } from '../../../../src/base/digest.js';
import type { Processes } from '../../../../src/base/process-identity.js';
import { systemFileSystem } from '../../../../src/storage/local/file-system.js';
import { withClaim } from '../../../../src/storage/local/local-claim.js';
import { stagingPrefix } from '../../../../src/storage/local/staging-directory.js';

const PATH = '_commits/1.json';
const HERE = { host: 'here', boot: 'b', pid: 1, started: '1' };
const processes: Processes = { self: HERE, isDead: () => false };

let directory: string;
let nowMs: number;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-claims-'));
  nowMs = 0;
});
afterEach(() => rm(directory, { recursive: true }));

/** Does not wait: each sleep moves it. */
const clock = {
  now: () => nowMs,
  monotonic: () => nowMs,
  sleep: (ms: number) => {
    nowMs += ms;
    return Promise.resolve();
  },
};

const claimed = () => {
  const name = `${stagingPrefix(HERE, 'c'.repeat(16))}-0`;
  const claim = { fileSystem: systemFileSystem, processes, clock, directory, name, path: PATH };
  return withClaim(claim, () => Promise.resolve('done'));
};

/** A claim that a process has left, or holds. */
async function claimOf(process: typeof HERE, ageMs: number): Promise<string> {
  const name = `${stagingPrefix(process, 'd'.repeat(16))}-0.${sha256Hex(PATH)}`;
  await writeFile(join(directory, name), '');
  const madeAt = (Date.now() - ageMs) / 1000;
  await utimes(join(directory, name), madeAt, madeAt);
  return name;
}

it.each([
  ['another machine', { ...HERE, host: 'elsewhere' }],
  ['this one before its last start', { ...HERE, boot: 'a' }],
])('a claim from before a power loss of %s counts for five minutes', async (_, process) => {
  const name = await claimOf(process, 4 * 60_000);
  await expect(claimed()).rejects.toThrow(`cannot write ${PATH}: another process has locked it`);
  expect(nowMs).toBeGreaterThan(30_000);
  nowMs = 0;
  await claimOf(process, 6 * 60_000);
  expect([await claimed(), nowMs]).toEqual(['done', 0]);
  // the sweep removes it
  expect(await readdir(directory)).toEqual([name]);
});

it('a claim of a process that lives counts however old it is', async () => {
  await claimOf({ ...HERE, pid: 2 }, 3_600_000);
  await expect(claimed()).rejects.toMatchObject({ trouble: 'locked' });
});
