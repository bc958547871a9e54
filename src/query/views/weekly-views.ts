/** The views `v_*` with a row a week. */
import {
  atLastUse,
  BY_PEOPLE,
  COUNT_FAILURES,
  FAILURES,
  type QuestionView,
  USED_SOURCES,
  WEEK,
  WEEK_OR_NONE,
} from './view-parts.js';

/** A table that was handed on must say by itself what the row without a week is. */
const NOTE = {
  note: ['VARCHAR', '“date unknown” in the row without a week, else null (an empty cell)'],
} as const;
const noteOf = (week: string): string =>
  `CASE WHEN ${week} IS NULL THEN 'date unknown' END AS note`;

export const WEEKLY_VIEWS: readonly QuestionView[] = [
  {
    name: 'v_failures_by_week',
    describe:
      'One row for each week with a question: how many have no answer, or a lost file, and which shares these are; what may still be answered stands apart; beside v_usage_by_week: LEFT JOIN ... ON f.week IS NOT DISTINCT FROM u.week, since USING (week) loses the row without a date',
    columns: { week: WEEK_OR_NONE, ...FAILURES, ...NOTE },
    select: `SELECT
  week,
  ${COUNT_FAILURES},
  ${noteOf('week')}
FROM v_answers
GROUP BY week
ORDER BY week`,
  },
  {
    name: 'v_sources_by_week',
    describe:
      'One row for each week and data source: in how many answers and for how many users it was used; a source is known as in v_most_used_sources',
    columns: {
      week: WEEK_OR_NONE,
      datasource_id: ['VARCHAR', 'The data source; null where the service sends no id'],
      source: ['VARCHAR', 'Its name, when it was used last in the week'],
      file_type: ['VARCHAR', 'The type of its file, when it was used last in the week'],
      dataset_id: ['VARCHAR', 'Its dataset, when it was used last in the week'],
      questions: ['BIGINT', 'Questions whose answer is based on it'],
      users: ['BIGINT', 'Users who asked these'],
      ...NOTE,
    },
    select: `SELECT
  week,
  datasource_id,
  ${atLastUse('source')},
  ${atLastUse('file_type')},
  ${atLastUse('dataset_id')},
  count(DISTINCT (user_id, session_id, job_id)) AS questions,
  count(DISTINCT person) AS users,
  ${noteOf('week')}
FROM (
  ${USED_SOURCES}
) AS used
GROUP BY week, datasource_id, named
ORDER BY week, questions DESC, source, file_type, dataset_id, datasource_id`,
  },
  {
    name: 'v_time_to_next_question',
    describe:
      'One row for each week: seconds from a question to the next of its conversation, where less than an hour; the service does not say when an answer was ready, so each of them is an upper bound of a time to answer (not of all questions: longer pauses are left out); only questions whose ids tell their times count, none that has the time of the next, and none where a question without a time may have come in between, as asked_after and asked_before of v_questions say: of a pseudonymised copy, which has days alone without --keep-times, it has no row',
    columns: {
      week: WEEK,
      questions: ['BIGINT', 'Questions that another followed within an hour'],
      median_seconds_under_1h: ['DOUBLE', 'Half of them were followed within this time'],
      p90_seconds_under_1h: ['DOUBLE', 'Nine of ten of them were followed within this time'],
    },
    select: `SELECT
  date_trunc('week', asked_at)::DATE AS week,
  count(*) AS questions,
  round(median(seconds), 1) AS median_seconds_under_1h,
  round(quantile_cont(seconds, 0.9), 1) AS p90_seconds_under_1h
FROM (
  SELECT user_id, session_id, asked_at, next_at, epoch(next_at - asked_at) AS seconds
  FROM (
    SELECT user_id, session_id, asked_at,
      lead(asked_at) OVER (PARTITION BY user_id, session_id ORDER BY asked_at, job_index, job_id) AS next_at
    FROM v_questions
    WHERE asked_at IS NOT NULL
  )
) AS paired
WHERE seconds > 0 AND seconds < 3600
  AND NOT EXISTS (
    FROM v_questions AS undated
    WHERE undated.user_id = paired.user_id AND undated.session_id = paired.session_id AND undated.asked_at IS NULL
      AND coalesce(undated.asked_after < paired.next_at, true)
      AND coalesce(undated.asked_before > paired.asked_at, true)
  )
GROUP BY week
ORDER BY week`,
  },
  {
    name: 'v_usage_by_week',
    describe:
      'One row for each week (from Monday on), also where nobody asked, from the first question to the last: users, conversations and questions',
    columns: {
      week: WEEK_OR_NONE,
      users: ['BIGINT', 'Users who asked something'],
      conversations: ['BIGINT', 'Conversations with a question'],
      questions: ['BIGINT', 'Questions asked'],
      undated: ['BIGINT', 'Of them, without a time of their own'],
      ...NOTE,
    },
    select: `WITH asked AS (
  SELECT week, person, user_id, session_id, created_at IS NULL AS is_undated
  FROM (${BY_PEOPLE})
), weeks AS (
  SELECT unnest(generate_series(min(week), max(week), INTERVAL 7 DAY))::DATE AS week FROM asked
  UNION ALL SELECT DISTINCT week FROM asked WHERE week IS NULL
)
SELECT
  weeks.week,
  count(DISTINCT person) AS users,
  count(DISTINCT (user_id, session_id)) FILTER (user_id IS NOT NULL) AS conversations,
  count(user_id) AS questions,
  count(user_id) FILTER (is_undated) AS undated,
  ${noteOf('weeks.week')}
FROM weeks
LEFT JOIN asked ON asked.week IS NOT DISTINCT FROM weeks.week
GROUP BY weeks.week
ORDER BY weeks.week`,
  },
];
