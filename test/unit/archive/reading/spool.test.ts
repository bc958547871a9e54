/** Lines that are set aside come back as they were, however long they are. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Spool } from '../../../../src/archive/reading/spool.js';
import { openStorage } from '../../../../src/storage/open-storage.js';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'jobvault-spool-'));
});
afterAll(() => rm(directory, { recursive: true }));

it('gives back lines of several chunks, whose characters may lie in two of them', async () => {
  const storage = openStorage(directory);
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
});
