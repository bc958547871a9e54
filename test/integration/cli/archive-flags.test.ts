/** A configuration file says whom `export` archives and where to; commands on an archive do not take that for theirs. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli, cliJson } from '../../support/programs/cli-in-process.js';
import { ExportRig } from '../../support/rigs/export-rig.js';

describe('where the configuration file names a user, a session and an archive', () => {
  let rig: ExportRig;
  let file: string;
  let users: readonly string[];
  beforeAll(async () => {
    rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 2 });
    await rig.archived();
    users = rig.state.userIds();
    const [ann = ''] = users;
    const [session = ''] = rig.state.sessionIds(ann);
    file = join(rig.directory, 'nightly.yaml');
    await writeFile(file, `user: [${ann}]\nsession: [${session}]\nout: ${rig.out}\n`);
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const ENVIRONMENT = { JOBVAULT_API_KEY: 'demo-key', JOBVAULT_USER: 'nobody' };
  const words = (command: string, ...rest: string[]) => [
    ...command.split(' '),
    rig.out,
    ...rest,
    '--config',
    file,
  ];

  it.each([
    ['erase', ['--dry-run'], 'nothing to erase; give a user or a session'],
    ['erase', ['--yes'], 'nothing to erase; give a user or a session'],
    [
      'erase',
      ['--user', 'ann', '--session', 's1', '--yes'],
      'users and sessions are named together',
    ],
    ['hold add', ['--reason', 'audit'], 'nothing is named to be held; give a user or a session'],
    [
      'hold release',
      ['--reason', 'audit'],
      'nothing is named to be released; give a user, a session, a request or the id of a hold',
    ],
    ['workbook', ['--out', 'ann.xlsx'], 'no user is named; give --user'],
    ['workbook', ['--user', 'ann'], '--out is missing; give it (the workbook, FILE.xlsx'],
    ['evidence', [], '--out is missing; give it (where the pack goes'],
  ])('%s %j names nobody and no place', async (command, rest, complaint) => {
    const run = await cli(words(command, ...rest), ENVIRONMENT);
    expect(run).toMatchObject({ exitCode: 2, stdout: '' });
    expect(run.stderr).toContain(complaint);
  });

  it('search, show and status tell of everybody', async () => {
    const { jobs } = rig.state.totals();
    expect(await cliJson(words('search', '2025'), 0, ENVIRONMENT)).toMatchObject({
      searched: jobs,
    });
    expect(await cliJson(words('show'), 0, ENVIRONMENT)).toMatchObject({ total: 4 });
    expect(await cliJson(words('status'), 0, ENVIRONMENT)).not.toHaveProperty('details');
  });

  it('report and evidence take everybody along, to the place that is usual or named', async () => {
    const report = await cliJson(words('report'), 0, ENVIRONMENT);
    expect(report).toMatchObject({ users: 2, sessions: 4 });
    const pack = join(rig.directory, 'pack');
    const evidence = await cliJson(words('evidence', '--out', pack), 0, ENVIRONMENT);
    expect(evidence).toMatchObject({ users: 2, sessions: 4 });
  });
});
