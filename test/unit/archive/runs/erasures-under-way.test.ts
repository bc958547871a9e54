import { expect, it } from 'vitest';
import { erasuresUnderWay } from '../../../../src/archive/erasing/erasures.js';
import { runOf } from '../../../support/store/archive-samples.js';
import { createMemoryStorage } from '../../../support/store/memory-storage.js';

it('each run whose erasure has files is named once, and no foreign file counts as one', async () => {
  const storage = createMemoryStorage();
  const paths = [
    `_erasures/${runOf('A')}/plan.json`,
    `_erasures/${runOf('A')}/000000000001.json`,
    `_erasures/${runOf('B')}/000000000001.jobs.jsonl.gz`,
    `_erasures/${runOf('C')}/notes.txt`,
    `_quarantine/_erasures/${runOf('D')}/plan.json`,
    '_erasures/.DS_Store',
  ];
  for (const path of paths) await storage.put(path, Buffer.from('{}'));
  expect([...(await erasuresUnderWay(storage))]).toEqual([runOf('A'), runOf('B')]);
});

it('knows of none where none was prepared', async () => {
  expect((await erasuresUnderWay(createMemoryStorage())).size).toBe(0);
});
