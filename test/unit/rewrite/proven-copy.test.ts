/** What made an archive proves its copy, too: its own formats, clock and logger, and not this machine's. */
import { expect, it } from 'vitest';
import type { ByteSource, RowFormat } from '../../../src/formats/format.js';
import { copyProven } from '../../../src/rewrite/copy-archive.js';
import { knowing } from '../../support/store/archive-samples.js';
import { archiveOfThree } from '../../support/store/begun-erasure.js';
import { createMemoryStorage } from '../../support/store/memory-storage.js';
import { jsonl } from '../../support/store/written-jobs.js';

it('The rows of a copy are counted by the formats of the archive that it is a copy of', async () => {
  const { archive, commits } = await archiveOfThree();
  const parts = commits.flatMap(({ files }) => files);
  let counted = 0;
  const counting: RowFormat = {
    ...jsonl,
    countRows: (source: ByteSource) => {
      counted++;
      return jsonl.countRows(source);
    },
  };
  const { signal } = new AbortController();
  const target = createMemoryStorage();
  const own = { ...archive, ...knowing(counting) };
  await copyProven({ archive: own, target, concurrency: 2, signal });
  expect(counted).toBe(parts.length);
});
