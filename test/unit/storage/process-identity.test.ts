import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { systemProcessIdentity } from '../../../src/storage/process-identity.js';

const { own } = systemProcessIdentity;

it('knows that it is alive itself', () => {
  expect(own.pid).toBe(process.pid);
  expect(own.host).not.toBe('');
  expect(own.boot).not.toBe('');
  expect(systemProcessIdentity.isAlive(own)).toBe(true);
});

it('sees a child alive, and dead once it has ended', async () => {
  const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], { stdio: 'pipe' });
  const mark = { ...own, pid: child.pid ?? 0, started: null };
  expect(systemProcessIdentity.isAlive(mark)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(systemProcessIdentity.isAlive(mark)).toBe(false);
});

it('says nothing of processes on another machine, or of another boot', () => {
  const gone = { ...own, pid: 2 ** 22 + 1, started: '1' };
  expect(systemProcessIdentity.isAlive(gone)).toBe(false);
  expect(systemProcessIdentity.isAlive({ ...gone, host: `${own.host}-2` })).toBeUndefined();
  expect(systemProcessIdentity.isAlive({ ...gone, boot: 'another' })).toBeUndefined();
});

it.runIf(own.started !== null)('tells apart two processes that had the same number', () => {
  expect(systemProcessIdentity.isAlive({ ...own, started: '1' })).toBe(false);
});
