/** A pseudonymised copy counts what the archive counts, also what was deleted from the service and what days tell. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ArchiveStatus } from '../../../src/index.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

let rig: ExportRig;
let copy: string;

beforeAll(async () => {
  rig = await ExportRig.start({ users: 0 });
  const { state } = rig;
  const ask = (job_id: string) => ({
    job_id,
    question: { blocks: [{ type: 'MESSAGE', content: 'Where?' }] },
    answer: { blocks: [{ type: 'MESSAGE', content: 'Here.', stage: 'Respond' }] },
  });
  const at = (time: string) => state.newJobId(Date.parse(time));
  const morning = [ask(at('2026-03-11T08:00Z')), ask('odd-1'), ask(at('2026-03-11T09:00Z'))];
  const sessions = [
    { id: 's1', name: 'Days', jobs: [...morning, ask(at('2026-03-12T09:00Z'))] },
    { id: 's2', name: 'Over', jobs: [ask(at('2026-02-01T09:00Z'))] },
  ];
  state.importJson(JSON.stringify({ users: [{ user_id: 'ada', sessions }] }));
  await rig.export();
  const service = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
  const pruned = await cli(['prune', rig.out, '--session', 's2', ...service, '--yes']);
  expect(pruned.exitCode, pruned.stderr).toBe(0);
  const key = join(rig.directory, 'key');
  await writeFile(key, 'k'.repeat(40));
  copy = join(rig.directory, 'copy');
  const made = await cli(['copy', rig.out, copy, '--pseudonymise', key, '--keep-text']);
  expect(made.exitCode, made.stderr).toBe(0);
});
afterAll(() => rig[Symbol.asyncDispose]());

it('a search of a copy places a question between two of the same day on that day', async () => {
  interface Found {
    readonly searched: number;
    readonly time_unknown: number;
  }
  for (const place of [rig.out, copy]) {
    const found = await cliJson<Found>([
      ...['search', place, 'where', '--from', '2026-03-11', '--to', '2026-03-11'],
    ]);
    expect(found).toMatchObject({ searched: 3, time_unknown: 0 });
  }
});

it('what prune has deleted is gone from the service in a copy, too, and may not change', async () => {
  const own = await cliJson<ArchiveStatus>(['status', rig.out]);
  expect(own).toMatchObject({ sessions: { gone: 0, deleted: 1 }, may_change: { jobs: 1 } });
  const copied = await cliJson<ArchiveStatus>(['status', copy]);
  expect(copied).toMatchObject({ sessions: { gone: 1, deleted: 0 }, may_change: { jobs: 1 } });
  expect(copied.caveats.map(({ kind }) => kind)).toContain('absent');
});
