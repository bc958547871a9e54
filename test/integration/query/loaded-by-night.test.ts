/** Tables that are loaded night by night, by MERGE and by dbt's incremental models, are what the archive has. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TABLE_NAMES } from '../../../src/model/tables.js';
import { CliRig } from '../../support/rigs/cli-rig.js';
import { oldJob } from '../../support/programs/pieced-export.js';
import { DbtProject } from '../../support/tables/dbt-project.js';
import { WAREHOUSE, warehouseFolder } from '../../support/tables/warehouse-folder.js';

let rig: CliRig;
let connection: DuckDBConnection;
let scripts: Map<string, string>;
beforeEach(async () => {
  rig = await CliRig.start({ users: 0 });
  for (const user of ['ann', 'ben']) {
    const jobs = Array.from({ length: 3 }, () => oldJob(rig.state.newJobId(hoursAgo(48))));
    rig.state.addSession(user, { id: `${user}1` }, jobs);
  }
  connection = await (await DuckDBInstance.create(':memory:')).connect();
  scripts = await warehouseFolder();
});
afterEach(() => rig[Symbol.asyncDispose]());

function hoursAgo(hours: number): number {
  return Date.now() - hours * 3_600_000;
}

async function rows(sql: string): Promise<string[]> {
  const reader = await connection.runAndReadAll(sql);
  return reader
    .getRowsJson()
    .map((row) => JSON.stringify(row))
    .sort();
}

async function run(...words: string[]): Promise<string> {
  const end = await rig.run(words);
  expect(end).toMatchObject({ exitCode: 0 });
  return end.stdout;
}

/** The tables of the schema `jobvault`, as Delta tables are: what the archive has now. */
async function archivedNow(): Promise<void> {
  const printed = await run('query', rig.out, '--views');
  await connection.run(scripts.get('duckdb/tables.sql') ?? '');
  await connection.run(printed);
  await connection.run(scripts.get('duckdb/load.sql') ?? '');
}

/** @returns how many rows came or went, over all tables */
async function expectLoaded(schema: string): Promise<void> {
  for (const table of TABLE_NAMES) {
    const loaded = await rows(`SELECT * EXCLUDE (dt) FROM ${schema}."${table}"`);
    expect([table, loaded]).toEqual([table, await rows(`FROM temp."${table}"`)]);
  }
}

/** A change, a deletion, a compaction, an erasure, and the return of what was erased: each is followed by `load`. */
async function nights(load: () => Promise<void>): Promise<void> {
  const place = ['--base-url', rig.emulator.baseUrl, '--rate', '1000'];
  const [job = ''] = rig.state.jobIds('ann', 'ann1');
  const steps = [
    () => rig.export({ words: ['--with-datasets'] }),
    () => {
      rig.state.growAnswer('ann', 'ann1', job, { type: 'MESSAGE', content: 'more' });
      rig.state.addJob('ben', 'ben1', oldJob(rig.state.newJobId(hoursAgo(47))));
      return rig.export({ words: ['--full', '--with-datasets'] });
    },
    () => run('compact', rig.out),
    () => run('prune', rig.out, '--session', 'ben1', '--all', '--yes', ...place),
    () => run('erase', rig.out, '--user', 'ann', '--yes'),
    () => rig.export({ words: ['--full'] }),
    () => run('compact', rig.out),
  ];
  for (const step of steps) {
    await step();
    await archivedNow();
    await load();
  }
}

describe('MERGE', () => {
  it('has every row of the archive once after each night, and none that an erasure took', async () => {
    const merge = (scripts.get('databricks/merge.sql') ?? '').replaceAll('`', '"');
    await nights(async () => {
      await connection.run(merge);
      await expectLoaded('jobvault_loaded');
      // a second time changes nothing
      await connection.run(merge);
      await expectLoaded('jobvault_loaded');
    });
    expect(await rows('SELECT count(*) FROM jobvault_loaded.jobs')).toEqual(['["7"]']);
  });
});

describe("dbt's incremental models", () => {
  it('have the same, and the views over them the newest versions', async () => {
    const dbt = await DbtProject.read(`${WAREHOUSE}dbt`, 'analytics');
    await connection.run('CREATE SCHEMA analytics');
    let isFirst = true;
    await nights(async () => {
      // dbt makes its views again each time: the column `team` is of a users file
      await connection.run('ALTER TABLE jobvault.users ADD COLUMN team VARCHAR');
      for (const name of dbt.inOrder()) {
        for (const statement of dbt.statements(name, isFirst)) await connection.run(statement);
      }
      isFirst = false;
      await expectLoaded('analytics');
      const newest = 'SELECT user_id, job_id, job_version FROM';
      expect(await rows(`${newest} analytics.current_jobs`)).toEqual(
        await rows(`${newest} temp.current_jobs`),
      );
    });
  });
});

describe('the views that are printed', () => {
  it('leave no trace in a database, hide its tables of the same name, and survive a compaction', async () => {
    await rig.export();
    rig.state.addJob('ben', 'ben1', oldJob(rig.state.newJobId(hoursAgo(47))));
    await rig.export();
    await connection.run("CREATE TABLE jobs AS SELECT 'mine' AS text");
    await connection.run(await run('query', rig.out, '--views'));
    const count = 'SELECT count(*) FROM jobs';
    expect(await rows(count)).toEqual(['["7"]']);
    await run('compact', rig.out);
    expect(await rows(count)).toEqual(['["7"]']);
    expect(await rows('SELECT count(*) FROM v_questions')).toEqual(['["7"]']);
    expect(await rows('FROM memory.main.jobs')).toEqual(['["mine"]']);
    const left =
      "SELECT view_name FROM duckdb_views() WHERE NOT internal AND database_name <> 'temp'";
    expect(await rows(left)).toEqual([]);
  });
});
