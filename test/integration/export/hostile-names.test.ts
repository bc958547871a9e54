/** Names that would lead somewhere as paths are data in an archive, and nothing else. */
import { readdir } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { fault } from '../../support/base/fault.js';

const NAMES = [
  '../../../etc/passwd',
  String.raw`..\..\windows\win.ini`,
  '/etc/passwd',
  'NUL \u0000 inside',
  'n'.repeat(256),
  'é'.repeat(128),
  'CON',
  'aux.csv',
  '=1+1',
  '..',
];

const ULID = '[0-9A-HJKMNP-TV-Z]{26}';
const HASH = '[0-9a-f]{64}';
/** All that an export of tables and files may leave, written down here once more. */
const OURS = new RegExp(
  `^(?:jobvault\\.json|_commits/\\d{12}\\.(?:json|${HASH}\\.(?:jobs|users)\\.jsonl\\.gz)` +
    `|_laps/all\\.json|artifacts/[0-9a-f]{2}/${HASH}\\.csv` +
    `|tables/[a-z_]+/_delta_log/\\d{20}\\.json` +
    `|tables/[a-z_]+/dt=\\d{4}-\\d\\d-\\d\\d/${ULID}-\\d{4}\\.parquet)$`,
);

describe('hostile names of users, sessions, jobs and files', () => {
  let rig: ExportRig;

  beforeAll(async () => {
    rig = await ExportRig.start();
    for (const [at, name] of NAMES.entries()) {
      rig.state.putFile(`file-${at}`, `x\n${at}\n`);
      const content = { name, url: `{{url:file-${at}}}`, expires_at: '{{expires_at}}' };
      rig.state.addSession(`of ${name}`, { id: `id/${name}`, name }, [
        { job_id: name, answer: { blocks: [{ type: 'TABLE', stage: 'Respond', content }] } },
      ]);
    }
    expect(await rig.export()).toMatchObject({ status: 'complete', gaps: [] });
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  // I-2 in FORMAT.md
  it('become no path in the archive, and none beside it', fault('F-22'), async () => {
    const files = await rig.files();
    expect(files.length).toBeGreaterThan(NAMES.length);
    expect(files.filter((path) => !OURS.test(path))).toEqual([]);
    const around = await readdir(dirname(rig.out));
    expect(around).toEqual([relative(dirname(rig.out), rig.out)]);
  });

  it('are in the tables, every character of them', fault('F-22'), async () => {
    const all = async (table: string, column: string): Promise<unknown[]> =>
      (await rig.rows(table)).map((row) => row[column]).toSorted();
    expect(await all('artifacts', 'name')).toEqual(NAMES.toSorted());
    expect(await all('jobs', 'job_id')).toEqual(NAMES.toSorted());
    expect(await all('sessions', 'session_id')).toEqual(
      NAMES.map((name) => `id/${name}`).toSorted(),
    );
    expect(await all('sessions', 'user_id')).toEqual(NAMES.map((name) => `of ${name}`).toSorted());
  });
});
