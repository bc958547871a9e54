/** Part files that were written before a column was added: every reader has null there, and none refuses them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { filesOfTable } from '../../../src/archive/archive.js';
import type { RowFormat } from '../../../src/formats/format.js';
import { createJsonlFormat } from '../../../src/formats/jsonl/jsonl-format.js';
import { createParquetFormat } from '../../../src/formats/parquet/parquet-format.js';
import { openArchive } from '../../../src/library/operations.js';
import type { TableSchema } from '../../../src/model/table-schema.js';
import { tableNamed } from '../../../src/model/tables.js';
import type { ResultRow } from '../../../src/query/result-columns.js';
import { compacted, crumbled } from '../../support/rigs/compact-rig.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

/** The table as it was before `created_after` and `created_before` were added. */
function older(name: string): TableSchema | undefined {
  const table = tableNamed(name);
  return table && { ...table, ...table.earlier[0] };
}

const FORMATS: readonly (readonly ['parquet' | 'jsonl', RowFormat])[] = [
  ['parquet', createParquetFormat()],
  ['jsonl', createJsonlFormat()],
];

describe.each(FORMATS)(
  'an archive in %s whose part files are older than a column',
  (name, format) => {
    let rig: ExportRig;
    let session: string;

    beforeEach(async () => {
      rig = await ExportRig.start({ artifactsPerJob: 0 });
      session = rig.state.addSession('ann');
      rig.state.addJobs('ann', session, 3);
      await rig.export({ users: ['ann'], formats: [name] });
      await crumbled(await rig.open(), format, 2, older);
    });
    afterEach(() => rig[Symbol.asyncDispose]());

    const schemas = async (table: string) =>
      new Set((await filesOfTable(await rig.open(), table)).map(({ schema }) => schema));

    /** Of each job its `created_before`. */
    const times = async (): Promise<ResultRow[]> => {
      await using archive = await openArchive(rig.out);
      const sql = 'SELECT job_id, created_before FROM current_jobs ORDER BY job_id';
      return await archive.query(sql, async (result) => {
        const rows: ResultRow[] = [];
        for await (const batch of result.rows()) rows.push(...batch);
        return rows;
      });
    };

    it('shows, verifies, and erases as ever, and has null in the column', async () => {
      expect(await schemas('jobs')).toEqual(new Set([older('jobs')?.fingerprint]));
      await using archive = await openArchive(rig.out);
      const { jobs } = await archive.show(session);
      expect(jobs).toHaveLength(3);
      expect(jobs[0]?.job).toMatchObject({ created_after: null, created_before: null });
      expect(await archive.verify()).toMatchObject({ problems: [] });
      expect(await archive.erase({ sessions: [session] })).toMatchObject({ status: 'erased' });
    });

    it('becomes one with newer part files in a query and in a compaction', async () => {
      expect((await times()).map(([, time]) => time)).toEqual([null, null, null]);
      rig.state.addJobs('ann', session, 2);
      await rig.export({ users: ['ann'], formats: [name] });
      const before = await times();
      const isFilled = before.map(([, time]) => time !== null);
      expect(isFilled.toSorted()).toEqual([false, false, false, true, true]);
      const { merged } = await compacted(await rig.open(), { formats: [format] });
      expect(merged.files).toBeGreaterThan(0);
      expect(await schemas('jobs')).toEqual(new Set([tableNamed('jobs')?.fingerprint]));
      expect(await times()).toEqual(before);
      expect(await rig.verify()).toMatchObject({ problems: [], orphans: [] });
    });
  },
);
