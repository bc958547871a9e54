import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { systemProcesses } from '../../../src/base/process-identity.js';

const { self } = systemProcesses;

it('knows that it is alive itself', () => {
  expect(self.pid).toBe(process.pid);
  expect(self.host).not.toBe('');
  expect(self.boot).not.toBe('');
  expect(systemProcesses.isDead(self)).toBe(false);
});

it('sees a child alive, and dead once it has ended', async () => {
  const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], { stdio: 'pipe' });
  const mark = { ...self, pid: child.pid ?? 0, started: 'unknown' };
  expect(systemProcesses.isDead(mark)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(systemProcesses.isDead(mark)).toBe(true);
});

it('declares nobody dead on another machine, or of another boot', () => {
  const gone = { ...self, pid: 2 ** 22 + 1, started: '1' };
  expect(systemProcesses.isDead(gone)).toBe(true);
  expect(systemProcesses.isDead({ ...gone, host: `${self.host}-2` })).toBe(false);
  expect(systemProcesses.isDead({ ...gone, boot: 'another' })).toBe(false);
});

it.runIf(self.started !== 'unknown')('tells apart two processes that had the same number', () => {
  expect(systemProcesses.isDead({ ...self, started: '1' })).toBe(true);
});
