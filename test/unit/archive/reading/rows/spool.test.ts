/** Lines that are set aside come back as they were, however long they are. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spool } from '../../../../../src/archive/reading/rows/spool.js';
import { openStorage } from '../../../../../src/storage/open-storage.js';
import { fault } from '../../../../support/base/fault.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-spool-'));
});
afterAll(() => rm(directory, { recursive: true }));

it(
  'gives back lines of several chunks, whose characters may lie in two of them',
  fault('F-84'),
  async () => {
    const storage = await openStorage(directory);
    const spool = await Spool.open(storage, 2);
    const lines = ['', 'a', '売🎉'.repeat(200_000), '\uFEFFb', 'é'.repeat(70_001), ''];
    for (const line of lines) await spool.add(1, line);
    await spool.add(0, 'elsewhere');
    await spool.close();
    const read: string[] = [];
    for await (const line of spool.lines(1)) read.push(line);
    expect(read.map(({ length }) => length)).toEqual(lines.map(({ length }) => length));
    expect(read.every((line, index) => line === lines[index])).toBe(true);
    await spool.discard();
    await storage.close();
  },
);

it('gives back whole lines where many add at a time', async () => {
  const storage = await openStorage(directory);
  const spool = await Spool.open(storage, 1);
  const lines = Array.from({ length: 300 }, (_, at) => `${at} ${'x'.repeat((at % 7) * 20_000)}`);
  await Promise.all(lines.map((line) => spool.add(0, line)));
  await spool.close();
  const read: string[] = [];
  for await (const line of spool.lines(0)) read.push(line);
  expect(read.toSorted()).toEqual(lines.toSorted());
  await spool.discard();
  await storage.close();
});
