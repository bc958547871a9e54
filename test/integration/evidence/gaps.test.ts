/** A pack never claims more than the log does: gaps are named, doubt is told. */
import { listedIn } from '../../../src/archive/log/manifest.js';
import type { UserEntry } from '../../../src/archive/log/commit.js';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bagProblems } from '../../support/tables/bag-validator.js';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { handOver } from '../../support/rigs/evidence-rig.js';
import { caveatCounts } from '../../support/tables/caveat-counts.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';

/** Another commit says of the first user what the first one did not. */
async function tellOfUser(rig: ExportRig, said: Partial<UserEntry>): Promise<void> {
  const { log, storage } = await rig.open();
  const { run, ...commit } = await log.read(1);
  const users = await listedIn({ log, storage }, commit);
  const draft = { kind: 'export', base: 1, run, checkpoint: 2, tool: 't', scope: {} } as const;
  await log.append({ ...draft, users: [{ ...users[0]!, ...said }] });
}

describe('evidence with gaps', () => {
  it('names each gap of the export, says so, and ends with exit code 3', async () => {
    await using rig = await ExportRig.start({ users: 2, sessions: 4, jobs: 6, gaps: true });
    const { gaps } = await rig.archived();
    expect(gaps.length).toBeGreaterThan(0);
    const { exitCode, summary, pack } = await handOver(rig);
    expect(exitCode).toBe(3);
    expect(summary().status).toBe('incomplete');
    expect(caveatCounts(summary(), 'gap')).toEqual({ gap: gaps.length });
    const keyOf = (...key: unknown[]) => key.join(' ');
    expect(
      (await pack.page('gaps'))
        .map((row) => keyOf(row['job_id'], row['block_index'], row['status']))
        .toSorted(),
    ).toEqual(gaps.map((gap) => keyOf(gap.job, gap.block_index, gap.status)).toSorted());
    const notes = (await pack.page('items')).filter(
      ({ item, status }) => item === 'artifact' && status !== 'stored',
    );
    expect(notes).toHaveLength(gaps.length);
    for (const row of notes) {
      expect([row['pack_path'], row['sha256']]).toEqual(['', '']);
      expect(row['note']).not.toBe('');
    }
    expect(await pack.text('data/README.txt')).toContain(`Not complete: ${gaps.length} gaps`);
    expect(await pack.filesWith('NOT ARCHIVED')).not.toEqual([]);
    const complete = (await pack.page('summary')).map((row) => [
      row['gaps'] === '0',
      row['complete'],
    ]);
    for (const [hasNone, told] of complete) expect(told).toBe(hasNone === true ? 'yes' : 'no');
    expect(await bagProblems(pack.directory)).toEqual([]);
  });

  it('calls no session complete, and says whether its history was read to its end', async () => {
    await using rig = await ExportRig.start();
    rig.state.addSession('ann', { id: 's' }, [
      oldJob(rig.state.newJobId(Date.parse('2026-03-01T12:00Z')), ['lost.csv', 'gone.csv']),
      oldJob(rig.state.newJobId(Date.parse('2026-03-02T12:00Z')), []),
    ]);
    await rig.archived();
    const { pack } = await handOver(rig);
    expect(await pack.page('index')).toMatchObject([
      { history_read_to_end: 'yes', jobs: '2', jobs_in_session: '2', gaps: '2' },
    ]);
    const sessionsOf = async (one: typeof pack) =>
      (await one.page('items')).filter(({ item }) => item === 'session');
    expect(await sessionsOf(pack)).toMatchObject([{ status: 'history_read_to_end' }]);
    const readme = await pack.text('data/README.txt');
    expect(readme).toContain('  history_read_to_end ');
    expect(readme).toContain('  jobs_in_session ');
    const { pack: part } = await handOver(rig, '--from', '2026-03-02', '--to', '2026-03-02');
    expect(await part.page('index')).toMatchObject([
      { history_read_to_end: 'yes', jobs: '1', jobs_in_session: '2', gaps: '0' },
    ]);
    for (const one of [pack, part]) {
      for (const page of ['index', 'items'] as const) {
        expect(await one.text(`data/${page}.csv`)).not.toMatch(/\bcomplete\b/);
      }
    }
  });

  it('notes what is doubtful about a file that is stored', async () => {
    await using rig = await ExportRig.start();
    rig.state.putFile('empty.csv', '');
    rig.state.addSession('ann', { id: 's' }, [oldJob(rig.state.newJobId(0), ['empty.csv'])]);
    await rig.archived();
    const { pack } = await handOver(rig);
    const [item] = (await pack.page('items')).filter((row) => row['item'] === 'artifact');
    expect(item).toMatchObject({ status: 'stored', note: 'stored, but doubtful: an empty file' });
  });

  it('names a user who could not be listed', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 1, jobs: 1 });
    await rig.archived();
    const [user = ''] = rig.state.userIds();
    const archive = await rig.open();
    const commit = await archive.log.read(1);
    const [listed] = await listedIn(archive, commit);
    await archive.log.append({
      kind: 'export',
      base: 1,
      run: commit.run,
      checkpoint: 2,
      tool: 't',
      scope: {},
      users: [{ ...listed!, complete: false, listed: 0, error: 'nobody answers' }],
    });
    const { exitCode, pack } = await handOver(rig);
    expect(exitCode).toBe(3);
    expect(await pack.page('gaps')).toMatchObject([
      { user_id: user, session_id: '', status: 'failed', reason: 'nobody answers' },
    ]);
    const [session = ''] = rig.state.sessionIds(user);
    expect((await handOver(rig, '--session', session)).exitCode).toBe(0);
  });

  it('names a user of whom more sessions were listed than the archive has', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
    await rig.archived();
    await tellOfUser(rig, { listed: 3, total_items: 3 });
    const { exitCode, pack } = await handOver(rig);
    expect(exitCode).toBe(3);
    expect(await pack.page('gaps')).toMatchObject([
      {
        session_id: '',
        status: 'incomplete',
        reason: '3 sessions were listed, and the archive has 2',
      },
    ]);
  });

  it('names a shortfall that is larger than all that was erased since', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 3, jobs: 1 });
    await rig.archived();
    await tellOfUser(rig, { listed: 5, total_items: 5 });
    const [user = ''] = rig.state.userIds();
    const [session = ''] = rig.state.sessionIds(user);
    await cliJson(['erase', rig.out, '--session', session, '--reason', 'asked', '--yes']);
    const { exitCode, pack } = await handOver(rig);
    expect(exitCode).toBe(3);
    expect(await pack.page('summary')).toMatchObject([{ complete: 'no', erased_since: '1' }]);
    const [gap = {}] = await pack.page('gaps');
    expect(gap['reason']).toBe(
      '5 sessions were listed, and the archive has 2; at most 1 of the missing ones were erased since',
    );
  });

  it('claims no completeness where a listed session was left, though gone ones fill the number', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
    await rig.archived();
    await tellOfUser(rig, { complete: false });
    const { pack } = await handOver(rig);
    expect(await pack.page('summary')).toMatchObject([{ complete: 'not proven', gaps: '0' }]);
  });

  it('claims no completeness of a user whose sessions were never listed as a whole', async () => {
    await using rig = await ExportRig.start({ users: 1, sessions: 2, jobs: 1 });
    const [user = ''] = rig.state.userIds();
    const [session = ''] = rig.state.sessionIds(user);
    await rig.export({ users: [user], sessions: [session] });
    const { exitCode, pack } = await handOver(rig);
    expect(exitCode).toBe(3);
    expect(await pack.page('summary')).toMatchObject([
      { complete: 'not proven', sessions: '1', sessions_listed: '' },
    ]);
    const again = await cli(['evidence', rig.out, '--out', join(rig.directory, 'again')]);
    expect(again.stdout).toMatch(
      /^Not proven complete: 1 user is not proven complete\nEvidence of 1 user is in /,
    );
    expect(await readFile(join(rig.directory, 'again/data/README.txt'), 'utf8')).toContain(
      'Not proven complete: 1 user is not proven complete\n',
    );
    const third = join(rig.directory, 'third');
    expect(await cliJson(['evidence', rig.out, '--out', third], 3)).toMatchObject({
      status: 'not-proven',
      caveats: [{ kind: 'not_proven', count: 1, total: 1 }, { kind: 'suspicious_file' }],
    });
  });
});
