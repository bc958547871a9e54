/** The workbooks of runs: made when a run ends, and again by a repair. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { foundSheets } from '../../support/tables/workbook-cells.js';

let rig: ExportRig;
beforeEach(async () => {
  rig = await ExportRig.start();
  rig.state.addJobs('ann', rig.state.addSession('ann'), 5);
});
afterEach(() => rig[Symbol.asyncDispose]());

const FORMATS = ['parquet', 'xlsx'] as const;

async function jobsIn(path: string): Promise<number> {
  const sheets = await foundSheets(await readFile(join(rig.out, path)));
  return (sheets.find(({ name }) => name === 'jobs')?.rows.length ?? 1) - 1;
}

interface Verified {
  readonly status: string;
  readonly notes: readonly { readonly path: string; readonly detail: string }[];
  readonly repair?: { readonly workbooks_rebuilt: readonly string[] };
}

it('a run of many commits leaves one workbook with all of its rows, which no commit names', async () => {
  const { run, commits } = await rig.export({ formats: FORMATS, checkpointBytes: 1 });
  expect(commits.length).toBeGreaterThan(3);
  const book = `workbooks/${run}.xlsx`;
  expect(await rig.files('workbooks')).toEqual([book]);
  expect(await jobsIn(book)).toBe(5);
  const archive = await rig.open();
  await archive.index.refresh();
  expect(archive.index.contents.files.has(book)).toBe(false);
  expect(await cliJson<Verified>(['verify', rig.out])).toMatchObject({
    ...{ status: 'intact', notes: [], orphans: [], foreign: [] },
  });
});

it('a workbook that is missing, as of a run that died, is said and made by a repair', async () => {
  const { run } = await rig.export({ formats: FORMATS });
  const book = `workbooks/${run}.xlsx`;
  const before = await readFile(join(rig.out, book));
  await rm(join(rig.out, book));
  const found = await cli(['verify', rig.out]);
  expect([found.exitCode, found.stdout]).toEqual([
    0,
    expect.stringContaining(
      `    note: ${book} is not there: its run makes it when it ends, or --repair\n`,
    ),
  ]);
  const repaired = await cliJson<Verified>(['verify', rig.out, '--repair']);
  expect(repaired).toMatchObject({
    status: 'intact',
    notes: [],
    repair: { workbooks_rebuilt: [book] },
  });
  expect(await jobsIn(book)).toBe(5);
  expect((await readFile(join(rig.out, book))).length).toBe(before.length);
  expect((await cli(['verify', rig.out])).stdout).not.toContain('note:');
});

it('a run that brings no rows leaves no workbook', async () => {
  await rig.export({ formats: FORMATS });
  await rig.export({ formats: FORMATS });
  expect(await rig.files('workbooks')).toHaveLength(1);
});
