/** A bug: an exception that nobody catches, in the middle of an export by the built program. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { scriptedApi } from '../support/http/scripted-api.js';
import { CliRig } from '../support/rigs/cli-rig.js';

describe('an export in which a bug throws', () => {
  let rig: CliRig;

  beforeEach(async () => {
    rig = await CliRig.start({ users: 1, sessions: 5, jobs: 2, artifactsPerJob: 1 });
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  it.each([
    ['an exception', 'throw error;'],
    ['a promise that nobody awaits', 'Promise.reject(error);'],
  ])('%s: saves what is ready, says that it is a bug, and tells everybody', async (_what, how) => {
    await using monitor = await scriptedApi({ status: 200 });
    const preload = join(rig.directory, 'bug.mjs');
    const error = `new Error('boom at https://files.example.com/a.csv?X-Amz-Signature=abcdef0123')`;
    await writeFile(preload, `process.on('SIGUSR2', () => { const error = ${error}; ${how} });`);
    const reached = new Promise<void>((resolve) => {
      rig.emulator.faults.beforeRequest = ({ operation, nth }) => {
        if (operation !== 'getHistory' || nth !== 4) return;
        rig.emulator.faults.api = [{ answer: { kind: 'hang' } }];
        resolve();
      };
    });
    const words = ['--concurrency', '1', '--json', '--ping-url', `${monitor.url}/ping`];
    const running = rig.begin(rig.exportWords(...words), {
      environment: { NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` },
    });
    await reached;
    running.kill('SIGUSR2');
    const { exitCode, stdout, stderr } = await running.ended;

    expect(exitCode).toBe(1);
    expect(stderr).toContain('unexpected error: boom at https://files.example.com/a.csv');
    expect(stderr).toContain('This is a bug in jobvault');
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout + stderr).not.toContain('abcdef0123');
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      exit_code: 1,
      error: expect.stringContaining('boom') as unknown,
    });
    expect(monitor.seen.map(({ url }) => url).toSorted()).toEqual(['/ping/1', '/ping/start']);
    expect((await rig.run(['verify', rig.out])).exitCode).toBe(0);
    rig.emulator.faults.api = [];
    expect((await rig.export()).status).toBe('complete');
  });
});
