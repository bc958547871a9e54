/** Makes the SQL of the tables and views, for other programs that read the archive in place. */
import type { Archive } from '../../archive/archive.js';
import { QUESTION_VIEWS } from './question-views.js';
import { BLOCK_VIEWS } from './block-views.js';
import { currentViews } from './current-views.js';
import { readSnapshot, type AskedView, type Snapshot } from '../snapshot.js';
import { createView, tableViews, type Source, type View } from './table-views.js';
import { type CommitOf } from '../query-result.js';
import { sqlText } from '../sql-text.js';
import { usersInSeveral } from '../../archive/reading/users/users-in-several.js';
import { runsView } from './runs-view.js';
import { assertUsersFileFits, type UserRow, usersView } from './users-view.js';
import { absentSessionsView, logViews, openJobsView } from './log-views.js';

export interface ArchiveViews {
  /** What was read of each archive, in the order given. */
  readonly commits: readonly CommitOf[];
  /** In the order in which they must be created. */
  readonly views: readonly View[];
  /** All of them as a script for DuckDB. */
  readonly sql: string;
}

export interface ViewsOptions {
  /** Rows of a users file, for the view `users`. Default: none was given. */
  readonly users?: readonly UserRow[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the log knows of users and runs is in every script; which answers are open is told by time there. */
const IN_SCRIPTS: ReadonlySet<AskedView> = new Set(['users', 'runs']);

const FROM_A_BUCKET = [
  '-- DuckDB reads the bucket with its own credentials, such as those of the machine:',
  '-- CREATE SECRET (TYPE s3, PROVIDER credential_chain);',
  'INSTALL httpfs;',
  'LOAD httpfs;',
];

/**
 * @param archives several: each table has the rows of all, and a column `archive`
 * @throws {IntegrityError} a log is damaged
 * @throws {UsageError} a pseudonymised copy takes no users file
 */
export async function archiveViews(
  archives: readonly Archive[],
  { users, signal }: ViewsOptions = {},
): Promise<ArchiveViews> {
  assertUsersFileFits(archives, users);
  const sources: Source[] = [];
  for (const archive of archives) {
    const { storage } = archive;
    const snapshot = await readSnapshot(archive, signal, IN_SCRIPTS);
    const root = storage.directory ?? storage.location;
    sources.push({ snapshot, pathOf: ({ path }) => `${root}/${path}` });
  }
  const views = viewsOver(sources, users);
  const commits = sources.map(({ snapshot: { location, commit } }) => ({
    archive: location,
    commit,
  }));
  const heading = [
    ...commits.map(
      ({ archive, commit }) =>
        `-- The archive ${archive.replace(/\s+/g, ' ')} as of commit ${commit}, for DuckDB.`,
    ),
    '-- The views are those of this connection (TEMP): they hide tables of the same name, and leave no trace in the database.',
    '-- The script names every file: print it again after the next export. What compact has replaced stays for a week.',
    '-- It reads the files unchecked: jobvault verify compares them with the log.',
    '-- Which answers may still come is told by time here (open_jobs): they were not settled when they were read, and were',
    '-- asked today or yesterday (UTC). jobvault query takes it from the log.',
    ...(archives.some(({ storage }) => storage.directory === undefined) ? FROM_A_BUCKET : []),
  ];
  const sql = [
    heading.join('\n') + '\n',
    ...views.map((view) => createView(view, { isTemporary: true })),
  ].join('\n');
  return { commits, views, sql };
}

/**
 * Every table and view, in the order in which they must be created.
 *
 * @param usersFile rows for the view `users`; undefined: no users file was given
 */
export function viewsOver(sources: readonly Source[], usersFile?: readonly UserRow[]): View[] {
  const snapshots = sources.map(({ snapshot }) => snapshot);
  const isUnion = sources.length > 1;
  return [
    ...(isUnion ? [archivesView(snapshots)] : []),
    ...tableViews(sources),
    ...BLOCK_VIEWS.map(({ name, select }) => ({
      name,
      select: select('blocks', isUnion ? ['archive'] : []),
    })),
    absentSessionsView(snapshots),
    ...logViews(snapshots),
    usersView(
      snapshots.map(({ location, knownUsers: users }) => ({ location, users })),
      { isUnion, file: usersFile },
    ),
    runsView(snapshots, isUnion),
    ...currentViews({
      isUnion,
      hasShared: usersInSeveral(snapshots).length > 0,
      hasListedAgain: snapshots.some(({ listedAgain }) => listedAgain.length > 0),
    }),
    openJobsView(snapshots),
    ...QUESTION_VIEWS,
  ];
}

/** The archives of a query over several. */
function archivesView(snapshots: readonly Snapshot[]): View {
  const rows = snapshots.map(({ location, service, commit }) => {
    const project = service.project === null ? 'NULL::VARCHAR' : sqlText(service.project);
    return `(${sqlText(location)}, ${sqlText(service.base_url)}, ${project}, ${commit}::BIGINT)`;
  });
  const columns = 'archive, service, project, commit';
  return {
    name: 'archives',
    select: `SELECT * FROM (VALUES\n  ${rows.join(',\n  ')}\n) AS of(${columns})`,
  };
}
