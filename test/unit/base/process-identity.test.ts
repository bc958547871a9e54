import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { systemProcesses } from '../../../src/base/process-identity.js';

const { self } = systemProcesses;

it('a process knows that it is alive', () => {
  expect(self.pid).toBe(process.pid);
  expect(self.host).not.toBe('');
  expect(self.boot).not.toBe('');
  expect(systemProcesses.isDead(self)).toBe(false);
});

it('a child is alive until it has ended, and dead afterwards', async () => {
  const child = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], { stdio: 'pipe' });
  const mark = { ...self, pid: child.pid ?? 0, started: 'unknown' };
  expect(systemProcesses.isDead(mark)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(systemProcesses.isDead(mark)).toBe(true);
});

it('no process of another machine or another boot counts as dead', () => {
  const gone = { ...self, pid: 2 ** 22 + 1, started: '1' };
  expect(systemProcesses.isDead(gone)).toBe(true);
  expect(systemProcesses.isDead({ ...gone, host: `${self.host}-2` })).toBe(false);
  expect(systemProcesses.isDead({ ...gone, boot: 'another' })).toBe(false);
});

it.runIf(self.started !== 'unknown')('two processes with the same number are different', () => {
  expect(systemProcesses.isDead({ ...self, started: '1' })).toBe(true);
});
