/** Makes the SQL of the tables and views, for other programs that read the archive in place. */
import type { Archive } from '../archive/archive.js';
import { QUESTION_VIEWS } from './question-views.js';
import { readSnapshot, type GoneSession, createView, tableViews, type View } from './snapshot.js';
import { sqlText } from './result-columns.js';

export interface ArchiveViews {
  readonly commit: number;
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

/** @throws {IntegrityError} the log is damaged */
export async function archiveViews(archive: Archive, signal?: AbortSignal): Promise<ArchiveViews> {
  const { storage } = archive;
  const snapshot = await readSnapshot(archive, signal);
  const root = storage.directory ?? storage.location;
  const views = [
    ...tableViews(snapshot, ({ path }) => `${root}/${path}`),
    goneSessionsView(snapshot.gone),
    ...currentViews(),
    ...QUESTION_VIEWS,
  ];
  const heading = [
    `-- The archive ${storage.location.replace(/\s+/g, ' ')} as of commit ${snapshot.commit}, for DuckDB.`,
    '-- The script names every file: print it again after the next export.',
    '-- It reads the files unchecked: jobvault verify compares them with the log.',
    ...(storage.directory === undefined ? FROM_A_BUCKET : []),
  ];
  const sql = [heading.join('\n') + '\n', ...views.map(createView)].join('\n');
  return { commit: snapshot.commit, views, sql };
}

/** Makes the view `gone_sessions`: sessions that the service no longer has, from the log. */

export function goneSessionsView(gone: readonly GoneSession[]): View {
  const columns = 'user_id, session_id, gone_at, deleted_at';
  const rows = gone.map(
    ({ user, session, goneAt, deletedAt }) =>
      `(${sqlText(user)}, ${sqlText(session)}, ${instant(goneAt)}, ${instant(deletedAt)})`,
  );
  const none = `(NULL::VARCHAR, NULL::VARCHAR, NULL::TIMESTAMPTZ, NULL::TIMESTAMPTZ)`;
  const values = `SELECT * FROM (VALUES\n  ${(rows.length > 0 ? rows : [none]).join(',\n  ')}\n) AS gone(${columns})`;
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

/** In the order in which they must be created. */
export function currentViews(): View[] {
  return [
    { name: 'current_sessions', select: CURRENT_SESSIONS },
    ...OF_JOBS.map((table) => ({ name: `current_${table}`, select: ofNewestJobs(table) })),
    { name: 'current_datasets', select: CURRENT_DATASETS },
  ];
}

/** A join instead of a window function: it holds only keys in memory, not texts. */
function ofNewestJobs(table: string): string {
  return `SELECT rows_of.*
FROM "${table}" AS rows_of
JOIN (
  SELECT ${JOB_KEY.join(', ')}, max(job_version) AS job_version
  FROM jobs
  GROUP BY ${JOB_KEY.join(', ')}
) AS newest
  ON ${matching(['rows_of', 'newest'], [...JOB_KEY, 'job_version'])}`;
}

const CURRENT_SESSIONS = `SELECT
  rows_of.*,
  gone.gone_at,
  gone.deleted_at,
  gone.gone_at IS NOT NULL AND gone.deleted_at IS NULL AS is_gone,
  gone.deleted_at IS NOT NULL AS is_deleted
FROM sessions AS rows_of
JOIN (
  SELECT ${SESSION_KEY.join(', ')}, max(session_version) AS session_version
  FROM sessions
  GROUP BY ${SESSION_KEY.join(', ')}
) AS newest
  ON ${matching(['rows_of', 'newest'], [...SESSION_KEY, 'session_version'])}
LEFT JOIN gone_sessions AS gone
  ON ${matching(['rows_of', 'gone'], SESSION_KEY)}`;

/** Datasets have no version column: every run that archives datasets writes all of them. */
const CURRENT_DATASETS = `SELECT * EXCLUDE (place)
FROM (
  SELECT *, row_number() OVER (PARTITION BY dataset_id ORDER BY exported_at DESC, run_id DESC) AS place
  FROM datasets
)
WHERE place = 1`;

function matching([a, b]: readonly [string, string], columns: readonly string[]): string {
  return columns.map((column) => `${a}.${column} = ${b}.${column}`).join('\n  AND ');
}
