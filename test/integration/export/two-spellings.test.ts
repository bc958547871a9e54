/** A session that two users list: two spellings of one user, or two users. Over real sockets. */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { PruneRig } from '../../support/rigs/prune-rig.js';
import { fault } from '../../support/base/fault.js';
import type { ArchiveStatus } from '../../../src/completeness/archive-status.js';

interface Told {
  readonly caveats: readonly { readonly kind: string }[];
}

let rig: PruneRig;
beforeEach(async () => {
  rig = await PruneRig.start();
  rig.addSessions('ana', ['s1', 's2']);
});
afterEach(() => rig[Symbol.asyncDispose]());

/** The service lists the session for another user, too. */
function listFor(user: string, session: string): void {
  const texts = rig.state.jobIds('ana', session).map((job) => oldJob(job));
  rig.state.addSession(user, { id: session }, texts);
}

async function exported(): Promise<string> {
  const users = rig.state.userIds().flatMap((user) => ['--user', user]);
  const { baseUrl } = rig.emulator;
  const where = ['--out', rig.out, '--base-url', baseUrl];
  const { stdout, stderr } = await cli(['export', ...where, '--rate', '1000', ...users]);
  if (stdout === '') throw new Error(stderr);
  return stdout;
}

it.each([
  ['anA', 'two spellings of one user', true],
  ['ben', 'two users', false],
])(
  'A session that ana and %s list is told as one of %s',
  fault('F-74'),
  async (other, what, spellings) => {
    listFor(other, 's1');
    const users = ['ana', other].sort();
    const line = `1 conversation of ${users.join(' and ')}: ${what}`;
    expect(await exported()).toContain(line);
    const kind = spellings ? 'listed_twice' : 'listed_for_two';
    for (const words of [
      ['status', rig.out],
      ['query', rig.out, 'FROM current_sessions'],
      ['search', rig.out, 'well'],
      ['workbook', rig.out, '--from', '2000', '--out', join(rig.rig.directory, `${other}.xlsx`)],
      ['report', rig.out, '--out', join(rig.rig.directory, other)],
    ]) {
      const { caveats } = JSON.parse((await cli([...words, '--json'])).stdout) as Told;
      const told = caveats.filter(({ kind: of }) => of.startsWith('listed_'));
      const named = [`${users[0]}: 1 conversation also of ${users[1]}`];
      expect([words[0], told]).toMatchObject([words[0], [{ kind, count: 1, named }]]);
    }
    const inText = `- ${users[0]}: 1 conversation also of ${users[1]}\n`;
    const { stdout } = await cli(['status', rig.out]);
    expect(stdout).toContain(inText);
    expect(stdout.includes('counts under each of them')).toBe(spellings);
    const shared = { shared_sessions: [{ users, sessions: 1, spellings }] };
    expect(await cliJson(['status', rig.out])).toMatchObject(shared);
    expect(await rig.rig.export()).toMatchObject({ status: 'complete', ...shared });
  },
);

it('Nothing is told of sessions that one user lists', async () => {
  expect(await exported()).not.toContain('listed twice');
  expect((await cli(['status', rig.out])).stdout).not.toContain('listed ');
});

it('What status tells of a run stays once a spelling is listed no more', async () => {
  listFor('Ana', 's1');
  rig.state.putFile('a.csv', 'a\n1\n');
  const [job = ''] = rig.state.jobIds('Ana', 's1');
  const table = { name: 'a', url: '{{url:gone.csv}}', expires_at: '{{expires_at}}' };
  rig.state.growAnswer('Ana', 's1', job, { type: 'TABLE', content: table, stage: 'Respond' });
  await exported();
  const told = async () => (await cliJson<{ runs: object[] }>(['status', rig.out])).runs.at(-1);
  const before = await told();
  expect(before).toMatchObject({ users: 2, complete: 1 });
  await cli([
    ...['export', '--out', rig.out, '--base-url', rig.emulator.baseUrl],
    ...['--rate', '1000', '--user', 'ana'],
  ]);
  expect(await told()).toEqual(before);
});

it.each([[['Ana']], [['Ana', 'ana']]])(
  'A conversation that is archived already is not new under %s',
  async (users) => {
    const { baseUrl } = rig.emulator;
    const counted = async (ids: readonly string[]) => {
      const { sessions } = await cliJson<{ sessions: object }>([
        ...['export', '--out', rig.out, '--base-url', baseUrl, '--rate', '1000'],
        ...ids.flatMap((id) => ['--user', id]),
      ]);
      return sessions;
    };
    expect(await counted(['ana'])).toMatchObject({ new: 2 });
    listFor('Ana', 's1');
    rig.state.addSession('Ana', { id: 's3' }, [oldJob(rig.state.newJobId(Date.now()))]);
    const unchanged = users.length - 1; // s2, of ana alone
    expect(await counted(users)).toMatchObject({
      listed: 2 + unchanged,
      new: 1,
      unchanged,
      changed: 1,
    });
    expect(await cliJson(['status', rig.out])).toMatchObject({ sessions: { total: 3 } });
    expect(await counted(users)).toMatchObject({ new: 0, changed: 0 });
  },
);

it('Its rows have the user who was asked for', fault('F-74'), async () => {
  listFor('ANA', 's1');
  await rig.rig.export();
  for (const table of ['sessions', 'jobs', 'raw_jobs']) {
    const rows = (await rig.rig.rows(table)).filter((row) => row['session_id'] === 's1');
    expect(new Set(rows.map((row) => row['user_id']))).toEqual(new Set(['ana', 'ANA']));
  }
});

it('A run that lacks only what counts for another spelling is complete in every output', async () => {
  listFor('Ana', 's1');
  rig.grow('ana', 's1');
  const [job = ''] = rig.state.jobIds('Ana', 's1');
  const table = { name: 'a', url: '{{url:gone.csv}}', expires_at: '{{expires_at}}' };
  rig.state.growAnswer('Ana', 's1', job, { type: 'TABLE', content: table, stage: 'Respond' });
  expect(await rig.rig.export()).toMatchObject({ status: 'complete', users: { complete: 2 } });
  const { runs, last_export: last } = await cliJson<ArchiveStatus>(['status', rig.out]);
  expect([runs[0]?.outcome, last?.outcome]).toEqual(['complete', 'complete']);
  const { rows } = await cliJson<{ rows: object[] }>([
    ...['query', rig.out, "SELECT outcome, is_complete FROM runs WHERE kind = 'export'"],
  ]);
  expect(rows).toEqual([{ outcome: 'complete', is_complete: true }]);
});

it.each([
  ['before', true],
  ['never', false],
])('A history that fails under both spellings is lacked once, archived %s', async (_, wasRead) => {
  listFor('Ana', 's1');
  if (wasRead) await rig.rig.export();
  const answer = { kind: 'error', status: 500 } as const;
  rig.emulator.faults.api = [{ operations: ['getHistory'], pathId: 's1', answer }];
  const { users } = await rig.rig.export();
  expect(users).toMatchObject({ complete: 1, with_gaps: 1 });
  const { last_export: last, users: now } = await cliJson<ArchiveStatus>(['status', rig.out]);
  expect([now.complete, now.incomplete, last?.complete]).toEqual([1, 1, 1]);
});
