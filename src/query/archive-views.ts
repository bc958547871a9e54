/** Makes the SQL of the tables and views, for other programs that read the archive in place. */
import type { Archive } from '../archive/archive.js';
import { QUESTION_VIEWS } from './question-views.js';
import { currentViews } from './current-views.js';
import { readSnapshot, type Snapshot } from './snapshot.js';
import { createView, tableViews, type Source, type View } from './table-views.js';
import { type CommitOf, sqlText } from './result-columns.js';
import { rowId } from '../model/ids.js';
import { usersInSeveral } from '../archive/reading/user-listings.js';

export interface ArchiveViews {
  /** What was read of each archive, in the order given. */
  readonly commits: readonly CommitOf[];
  /** In the order in which they must be created. */
  readonly views: readonly View[];
  /** All of them as a script for DuckDB. */
  readonly sql: string;
}

const FROM_A_BUCKET = [
  '-- DuckDB reads the bucket with its own credentials, such as those of the machine:',
  '-- CREATE SECRET (TYPE s3, PROVIDER credential_chain);',
  'INSTALL httpfs;',
  'LOAD httpfs;',
];

/**
 * @param archives several: each table has the rows of all, and a column `archive`
 * @throws {IntegrityError} a log is damaged
 */
export async function archiveViews(
  archives: readonly Archive[],
  signal?: AbortSignal,
): Promise<ArchiveViews> {
  const sources: Source[] = [];
  for (const archive of archives) {
    const { storage } = archive;
    const snapshot = await readSnapshot(archive, signal);
    const root = storage.directory ?? storage.location;
    sources.push({ snapshot, pathOf: ({ path }) => `${root}/${path}` });
  }
  const views = viewsOver(sources, { countsOnce: true });
  const commits = sources.map(({ snapshot: { location, commit } }) => ({
    archive: location,
    commit,
  }));
  const heading = [
    ...commits.map(
      ({ archive, commit }) =>
        `-- The archive ${archive.replace(/\s+/g, ' ')} as of commit ${commit}, for DuckDB.`,
    ),
    '-- The script names every file: print it again after the next export.',
    '-- It reads the files unchecked: jobvault verify compares them with the log.',
    '-- Which answers may still come is told by time here (open_jobs): they were not settled when they were read, and were',
    '-- asked today or yesterday (UTC). jobvault query takes it from the log.',
    ...(archives.some(({ storage }) => storage.directory === undefined) ? FROM_A_BUCKET : []),
  ];
  const sql = [heading.join('\n') + '\n', ...views.map(createView)].join('\n');
  return { commits, views, sql };
}

/**
 * Every table and view, in the order in which they must be created.
 *
 * @param options.countsOnce whether `current_*` has a session once that several spellings of a user list
 */
export function viewsOver(
  sources: readonly Source[],
  { countsOnce }: { readonly countsOnce: boolean },
): View[] {
  const snapshots = sources.map(({ snapshot }) => snapshot);
  const isUnion = sources.length > 1;
  return [
    ...(isUnion ? [archivesView(snapshots)] : []),
    ...tableViews(sources),
    goneSessionsView(snapshots),
    ...logViews(snapshots),
    ...currentViews({
      isUnion,
      hasShared: usersInSeveral(snapshots).length > 0,
      hasListedAgain: countsOnce && snapshots.some(({ listedAgain }) => listedAgain.length > 0),
    }),
    openJobsView(snapshots),
    ...QUESTION_VIEWS,
  ];
}

/**
 * Words of SQL that reads the catalog, and escapes, behind which any word may stand. DESC alone is a statement, behind
 * an expression it is an order.
 */
const LISTING =
  /\b(?:show|describe|information_schema|duckdb_|pg_|pragma_|sqlite_)|(?:^|[\n(;]|\*\/)\s*desc\b|\bu&"/i;

/** Whether the SQL may read which views there are; in doubt true. */
export function mayListViews(sql: string): boolean {
  return LISTING.test(sql);
}

/** Those whose names occur in the SQL, or in one of these; may include too many. */
export function namedViews(views: readonly View[], sql: string): View[] {
  let text = sql.toLowerCase();
  const isNamed = ({ name, select }: View): boolean => {
    if (!text.includes(name)) return false;
    text += select;
    return true;
  };
  // a view names only earlier ones
  return views.toReversed().filter(isNamed).reverse();
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

/** Views of what only the log knows. */

const VARCHAR = 'VARCHAR';

/** A view over rows that stand in its SQL. @param columns DuckDB's types by name */
function valuesView(
  name: string,
  columns: Readonly<Record<string, string>>,
  rows: readonly (readonly string[])[],
): View {
  const none = Object.values(columns).map((type) => `NULL::${type}`);
  const listed = (rows.length > 0 ? rows : [none]).map((row) => `(${row.join(', ')})`);
  const values = `SELECT * FROM (VALUES\n  ${listed.join(',\n  ')}\n) AS of(${Object.keys(columns).join(', ')})`;
  return { name, select: rows.length > 0 ? values : `${values}\nWHERE false` };
}

/** Sessions that the service no longer has. */
function goneSessionsView(snapshots: readonly Snapshot[]): View {
  const isUnion = snapshots.length > 1;
  const columns = {
    user_id: VARCHAR,
    session_id: VARCHAR,
    gone_at: 'TIMESTAMPTZ',
    deleted_at: 'TIMESTAMPTZ',
    ...(isUnion ? { archive: VARCHAR } : {}),
  };
  const rows = snapshots.flatMap(({ location, gone }) =>
    gone.map(({ user, session, goneAt, deletedAt }) => {
      const own = [sqlText(user), sqlText(session), instant(goneAt), instant(deletedAt)];
      return [...own, ...(isUnion ? [sqlText(location)] : [])];
    }),
  );
  return valuesView('gone_sessions', columns, rows);
}

function logViews(snapshots: readonly Snapshot[]): View[] {
  const again = snapshots.flatMap(({ listedAgain }) =>
    listedAgain.map(({ user, session, countsFor }) => [
      idText(user),
      idText(session),
      idText(countsFor),
    ]),
  );
  const accepted = snapshots.flatMap(({ acceptedGaps }) =>
    acceptedGaps.flatMap(({ user, session, job, role, block_index: block, file_index: file }) =>
      job === null || role === null || block === null || file === null
        ? []
        : [[idText(user), idText(session), idText(job), sqlText(role), `${block}`, `${file}`]],
    ),
  );
  return [
    valuesView(
      'sessions_listed_again',
      { user_id: VARCHAR, session_id: VARCHAR, counts_for: VARCHAR },
      again,
    ),
    valuesView(
      'accepted_losses',
      {
        user_id: VARCHAR,
        session_id: VARCHAR,
        job_id: VARCHAR,
        role: VARCHAR,
        block_index: 'INTEGER',
        file_index: 'INTEGER',
      },
      accepted,
    ),
  ];
}

/** By the log where it was asked; else by time, so that a script that is kept does not hide for ever what failed. */
function openJobsView(snapshots: readonly Snapshot[]): View {
  const name = 'open_jobs';
  if (snapshots.some(({ openJobs }) => openJobs === undefined)) {
    return { name, select: OPEN_BY_TIME };
  }
  const rows = snapshots.flatMap(({ openJobs = [] }) =>
    openJobs.map(({ user, session, job }) => [idText(user), idText(session), idText(job)]),
  );
  return valuesView(name, { user_id: VARCHAR, session_id: VARCHAR, job_id: VARCHAR }, rows);
}

/** By days: of `exported_at` a pseudonymised copy has no more. */
const OPEN_BY_TIME = `SELECT user_id, session_id, job_id
FROM current_jobs
WHERE NOT is_settled
  AND coalesce(created_at, exported_at) AT TIME ZONE 'UTC' >= date_trunc('day', now() AT TIME ZONE 'UTC') - INTERVAL 1 DAY`;

/** An id as rows have it. */
function idText(id: string): string {
  return sqlText(rowId(id));
}

function instant(iso: string | null): string {
  return iso === null ? 'NULL::TIMESTAMPTZ' : `TIMESTAMPTZ ${sqlText(iso)}`;
}
