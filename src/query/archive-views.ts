/** Makes the SQL of the tables and views, for other programs that read the archive in place. */
import type { Archive } from '../archive/archive.js';
import { QUESTION_VIEWS } from './question-views.js';
import {
  readSnapshot,
  createView,
  tableViews,
  type Snapshot,
  type Source,
  type View,
} from './snapshot.js';
import { type CommitOf, sqlText } from './result-columns.js';
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
  const views = viewsOver(sources);
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
    ...(archives.some(({ storage }) => storage.directory === undefined) ? FROM_A_BUCKET : []),
  ];
  const sql = [heading.join('\n') + '\n', ...views.map(createView)].join('\n');
  return { commits, views, sql };
}

/** Every table and view, in the order in which they must be created. */
export function viewsOver(sources: readonly Source[]): View[] {
  const snapshots = sources.map(({ snapshot }) => snapshot);
  const isUnion = sources.length > 1;
  return [
    ...(isUnion ? [archivesView(snapshots)] : []),
    ...tableViews(sources),
    goneSessionsView(snapshots),
    ...currentViews({ isUnion, hasShared: usersInSeveral(snapshots).length > 0 }),
    ...QUESTION_VIEWS,
  ];
}

/** Those whose names occur in the SQL, or in one of these; may include too many. */
export function namedViews(views: readonly View[], sql: string): View[] {
  let text = sql;
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

/** Makes the view `gone_sessions`: sessions that the service no longer has, from the log. */

function goneSessionsView(snapshots: readonly Snapshot[]): View {
  const isUnion = snapshots.length > 1;
  const columns = [
    'user_id',
    'session_id',
    'gone_at',
    'deleted_at',
    ...(isUnion ? ['archive'] : []),
  ];
  const rows = snapshots.flatMap(({ location, gone }) =>
    gone.map(({ user, session, goneAt, deletedAt }) => {
      const own = [sqlText(user), sqlText(session), instant(goneAt), instant(deletedAt)];
      return `(${[...own, ...(isUnion ? [sqlText(location)] : [])].join(', ')})`;
    }),
  );
  const text = 'NULL::VARCHAR';
  const none = [text, text, 'NULL::TIMESTAMPTZ', 'NULL::TIMESTAMPTZ', ...(isUnion ? [text] : [])];
  const listed = rows.length > 0 ? rows : [`(${none.join(', ')})`];
  const values = `SELECT * FROM (VALUES\n  ${listed.join(',\n  ')}\n) AS gone(${columns.join(', ')})`;
  return {
    name: 'gone_sessions',
    select: rows.length > 0 ? values : `${values}\nWHERE false`,
  };
}

function instant(iso: string | null): string {
  return iso === null ? 'NULL::TIMESTAMPTZ' : `TIMESTAMPTZ ${sqlText(iso)}`;
}

/** `current_*`: the newest version of every job and session, and of what belongs to them. */

const OF_JOBS = [
  'jobs',
  'blocks',
  'groups',
  'stages',
  'sources',
  'questions',
  'artifacts',
  'raw_jobs',
] as const;

const JOB_KEY = ['user_id', 'session_id', 'job_id'] as const;
const SESSION_KEY = ['user_id', 'session_id'] as const;

interface CurrentViewsOf {
  /** Whether the tables have the rows of several archives, and a column `archive`. */
  readonly isUnion?: boolean;
  /** Whether a user lies in several of them: then each session and job is taken from the archive that read it last. */
  readonly hasShared?: boolean;
}

/** In the order in which they must be created. */
export function currentViews({ isUnion = false, hasShared = false }: CurrentViewsOf = {}): View[] {
  return [
    { name: 'current_sessions', select: currentSessions(hasShared) },
    ...OF_JOBS.map((table) => ({
      name: `current_${table}`,
      select: `SELECT rows_of.*\nFROM "${table}" AS rows_of\n${joinNewest(OF_NEWEST_JOBS, hasShared)}`,
    })),
    { name: 'current_datasets', select: isUnion ? CURRENT_DATASETS_OF_SEVERAL : CURRENT_DATASETS },
  ];
}

interface Newest {
  readonly table: string;
  readonly key: readonly string[];
  readonly version: string;
}

const OF_NEWEST_JOBS: Newest = { table: 'jobs', key: JOB_KEY, version: 'job_version' };
const OF_NEWEST_SESSIONS: Newest = {
  table: 'sessions',
  key: SESSION_KEY,
  version: 'session_version',
};

/** A join instead of a window function: it holds only keys in memory, not texts. */
function joinNewest({ table, key, version }: Newest, hasShared: boolean): string {
  const keys = key.join(', ');
  const ofEach = `SELECT ${keys}, max(${version}) AS ${version}
  FROM ${table}
  GROUP BY ${keys}`;
  const ofAll = `SELECT ${keys}, arg_max(archive, place) AS archive, arg_max(${version}, place) AS ${version}
  FROM (
    SELECT archive, ${keys}, max(${version}) AS ${version}, (max(exported_at), archive) AS place
    FROM ${table}
    GROUP BY archive, ${keys}
  )
  GROUP BY ${keys}`;
  const columns = [...key, version, ...(hasShared ? ['archive'] : [])];
  return `JOIN (
  ${hasShared ? ofAll : ofEach}
) AS newest
  ON ${matching(['rows_of', 'newest'], columns)}`;
}

function currentSessions(hasShared: boolean): string {
  return `SELECT
  rows_of.*,
  gone.gone_at,
  gone.deleted_at,
  gone.gone_at IS NOT NULL AND gone.deleted_at IS NULL AS is_gone,
  gone.deleted_at IS NOT NULL AS is_deleted
FROM sessions AS rows_of
${joinNewest(OF_NEWEST_SESSIONS, hasShared)}
LEFT JOIN gone_sessions AS gone
  ON ${matching(['rows_of', 'gone'], [...SESSION_KEY, ...(hasShared ? ['archive'] : [])])}`;
}

/** Datasets have no version column: every run that archives datasets writes all of them. */
const CURRENT_DATASETS = `SELECT * EXCLUDE (place)
FROM (
  SELECT *, row_number() OVER (PARTITION BY dataset_id ORDER BY exported_at DESC, run_id DESC) AS place
  FROM datasets
)
WHERE place = 1`;

/** Datasets are of the service, not of a user: every archive of it may have them. */
const CURRENT_DATASETS_OF_SEVERAL = `SELECT * EXCLUDE (place)
FROM (
  SELECT rows_of.*, row_number() OVER (
    PARTITION BY own.service, own.project, rows_of.dataset_id
    ORDER BY rows_of.exported_at DESC, rows_of.run_id DESC, rows_of.archive
  ) AS place
  FROM datasets AS rows_of
  JOIN archives AS own ON rows_of.archive = own.archive
)
WHERE place = 1`;

function matching([a, b]: readonly [string, string], columns: readonly string[]): string {
  return columns.map((column) => `${a}.${column} = ${b}.${column}`).join('\n  AND ');
}
