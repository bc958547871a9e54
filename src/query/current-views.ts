/** `current_*`: the newest version of every job and session, and of what belongs to them. */
import type { View } from './table-views.js';

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
