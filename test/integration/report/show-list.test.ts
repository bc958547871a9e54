import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArchive } from '../../../src/index.js';
import { cli, cliJson, cliOnTerminal } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';
import { SearchRig } from '../../support/rigs/search-rig.js';

interface Listed {
  readonly total: number;
  readonly sessions: readonly {
    readonly user_id: string;
    readonly session_id: string;
    readonly name: string | null;
    readonly created_at: string | null;
    readonly newest_job_after: string | null;
    readonly newest_job_before: string | null;
    readonly jobs: number;
  }[];
}

async function collected<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('show without a session', () => {
  let rig: ExportRig;
  beforeAll(async () => {
    rig = await ExportRig.start({ users: 2, sessions: 12, jobs: 1 });
    await rig.archived();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  it('lists every session with its newest name, the newest first', async () => {
    const { total, sessions } = await cliJson<Listed>(['show', rig.out]);
    expect(total).toBe(24);
    const ids = rig.state.userIds().flatMap((user) => rig.state.sessionIds(user));
    expect(sessions.map(({ session_id: id }) => id).sort()).toEqual(ids.sort());
    const rows = new Map((await rig.rows('sessions')).map((row) => [row['session_id'], row]));
    for (const { session_id: id, name, user_id: user } of sessions) {
      expect({ name, user }).toEqual({
        name: rows.get(id)?.['name'],
        user: rows.get(id)?.['user_id'],
      });
    }
    const times = sessions.flatMap(
      (one) => one.newest_job_before ?? one.newest_job_after ?? one.created_at ?? [],
    );
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual(times.toSorted().reverse());
  });

  it('has the sessions that the library yields with what is in them', async () => {
    await using archive = await openArchive(rig.out);
    const [user = '', other = ''] = rig.state.userIds();
    const { total, sessions: listed } = await archive.sessions({ users: [user] });
    expect([total, listed.length]).toEqual([12, 12]);
    expect(await archive.sessions({ users: [user], most: 5 })).toEqual({
      total: 12,
      sessions: listed.slice(0, 5),
    });
    const conversations = await collected(archive.conversations({ users: [user] }));
    const idsOf = (sessions: readonly { readonly session_id?: unknown }[]) =>
      sessions.map((one) => one.session_id).toSorted();
    expect(idsOf(conversations.map(({ session }) => session))).toEqual(idsOf(listed));
    for (const conversation of conversations) {
      expect(conversation).toEqual(await archive.show(conversation.session['session_id']));
    }
    const [session = ''] = rig.state.sessionIds(other);
    const named = { users: [other], sessions: [session] };
    expect(await archive.sessions(named)).toMatchObject({
      total: 1,
      sessions: [{ session_id: session, user_id: other }],
    });
    expect(await collected(archive.conversations(named))).toHaveLength(1);
    const nobody = { users: ['nobody'] };
    await expect(archive.sessions(nobody)).rejects.toThrow('has no user "nobody"');
    await expect(archive.conversations(nobody).next()).rejects.toThrow('has no user "nobody"');
  });

  it('sorts by the newest job, whose time or bound it tells where the session has none', async () => {
    await using people = await SearchRig.start();
    people.talk('ada', 's-early', 'Early', [{}, {}]);
    people.talk('ada', 's-late', 'Late', [{}, {}, {}]);
    people.talk('ada', 's-bounded', 'Bounded', [{}, {}, { id: 'a-job-without-a-time' }]);
    people.talk('ada', 's-unknown', 'Unknown', [{ id: 'nothing-is-told' }]);
    people.talk('ada', 's-empty', 'Empty', []);
    const { out } = people.rig;
    await people.rig.export();
    const { sessions } = await cliJson<Listed>(['show', out]);
    expect(
      sessions.map(({ session_id: id, newest_job_after: after, newest_job_before: before }) => [
        id,
        after?.slice(0, 10) ?? null,
        before?.slice(0, 10) ?? null,
      ]),
    ).toEqual([
      ['s-bounded', '2026-01-16', null],
      ['s-late', '2026-01-14', '2026-01-14'],
      ['s-early', '2026-01-11', '2026-01-11'],
      ['s-empty', null, null],
      ['s-unknown', null, null],
    ]);
    const { stdout } = await cli(['show', out]);
    expect(stdout).toMatch(/^s-bounded +on or after 2026-01-16 +3 /m);
    expect(stdout).toMatch(/^s-late +2026-01-14 +3 /m);
    expect(stdout).toMatch(/^s-unknown +time unknown +1 /m);
    expect(stdout).toMatch(/^s-empty +0 /m);
  });

  it('lists those of one user, and so many as are asked for', async () => {
    const [, user = ''] = rig.state.userIds();
    const words = ['show', rig.out, '--user', user, '--max-rows', '3'];
    const { total, sessions } = await cliJson<Listed>(words);
    expect(total).toBe(12);
    expect(sessions.map(({ user_id: id }) => id)).toEqual([user, user, user]);
    const { stdout, stderr } = await cli(words);
    expect(stdout.match(/^\S+ +\d{4}-/gm)).toHaveLength(3);
    expect(stderr).toContain('12 conversations; 9 more not shown, --max-rows 0 shows all.');
  });

  it('fits a terminal of 80 columns, and cuts no id', async () => {
    const { stdout, stderr } = await cliOnTerminal(['show', rig.out]);
    for (const user of rig.state.userIds()) {
      for (const id of rig.state.sessionIds(user)) expect(stdout).toContain(id);
    }
    // a terminal puts a sign and its marks into one cell
    const cells = new Intl.Segmenter();
    // a printed command is never wrapped: it is pasted
    for (const line of stdout.split('\n').filter((one) => !/^ *jobvault /.test(one))) {
      expect([...cells.segment(line)].length).toBeLessThanOrEqual(80);
    }
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(
      `To read one: jobvault show ${rig.out} SESSION `,
    );
  });

  it('answers an unknown user with those that there are', async () => {
    const { exitCode, stderr } = await cli(['show', rig.out, '--user', 'nobody']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('has no user "nobody"; users in it: ');
  });
});
