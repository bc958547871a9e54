/** `v_*`: answers to the questions that analysts ask first, each a view over the newest versions. */
import {
  ANSWERS_VIEW,
  atLastUse,
  BY_PEOPLE,
  COUNT_FAILURES,
  FAILURES,
  inConversation,
  MONTH,
  MONTH_OR_NONE,
  onJob,
  QUESTIONS_VIEW,
  type QuestionView,
  USED_SOURCES,
} from './view-parts.js';
import { WEEKLY_VIEWS } from './weekly-views.js';

const OTHER_VIEWS: readonly QuestionView[] = [
  ANSWERS_VIEW,
  {
    name: 'v_active_users_by_month',
    describe:
      'One row for each month, also where nobody asked, from the first question to the last: who asked, who asked for the first time, and who had asked before; questions without a date do not count',
    columns: {
      month: MONTH,
      users: ['BIGINT', 'Users who asked something'],
      new_users: ['BIGINT', 'Of them, those who had never asked before'],
      returning_users: ['BIGINT', 'Of them, those who had asked in an earlier month'],
      undated: [
        'BIGINT',
        'Users of whom only questions without a time of their own are in the month',
      ],
    },
    select: `WITH asked AS (
  SELECT person, month, is_undated, min(month) OVER (PARTITION BY person) AS first_month
  FROM (
    SELECT person, month, bool_and(created_at IS NULL) AS is_undated
    FROM (${BY_PEOPLE})
    GROUP BY ALL
  )
  WHERE month IS NOT NULL
), months AS (
  SELECT unnest(generate_series(min(month), max(month), INTERVAL 1 MONTH))::DATE AS month FROM asked
)
SELECT
  months.month,
  count(person) AS users,
  count(*) FILTER (months.month = first_month) AS new_users,
  count(*) FILTER (months.month > first_month) AS returning_users,
  count(*) FILTER (is_undated) AS undated
FROM months
LEFT JOIN asked ON asked.month = months.month
GROUP BY months.month
ORDER BY months.month`,
  },
  {
    name: 'v_answers_by_content',
    describe:
      'One row for each month: how many answers have a table, an image, code, sources, or words alone',
    columns: {
      month: MONTH_OR_NONE,
      questions: ['BIGINT', 'Questions asked'],
      with_table: ['BIGINT', 'Answers with a table'],
      with_image: ['BIGINT', 'Answers with an image'],
      with_code: ['BIGINT', 'Answers with code'],
      with_sources: ['BIGINT', 'Answers that name sources'],
      words_alone: ['BIGINT', 'Answers without table, image and code'],
      undated: ['BIGINT', 'Of the questions, those without a time of their own'],
    },
    select: `SELECT
  month,
  count(*) AS questions,
  count(*) FILTER (has_table) AS with_table,
  count(*) FILTER (has_image) AS with_image,
  count(*) FILTER (has_code) AS with_code,
  count(*) FILTER (source_count > 0) AS with_sources,
  count(*) FILTER (NOT has_table AND NOT has_image AND NOT has_code AND is_answered) AS words_alone,
  count(*) FILTER (created_at IS NULL) AS undated
FROM v_answers
GROUP BY month
ORDER BY month`,
  },
  {
    name: 'v_conversation_length',
    describe:
      'One row for each length of a conversation: how many have so many questions, and which share they are',
    columns: {
      questions: ['BIGINT', 'Questions in a conversation'],
      conversations: ['BIGINT', 'Conversations with so many'],
      share: ['DOUBLE', 'Share of all conversations, from 0 to 1'],
    },
    select: `SELECT
  questions,
  count(*) AS conversations,
  round(count(*) / sum(count(*)) OVER (), 4) AS share
FROM (
  SELECT s.user_id, s.session_id, count(j.job_id) AS questions
  FROM current_sessions AS s
  LEFT JOIN current_jobs AS j ON s.user_id = j.user_id AND s.session_id = j.session_id
  GROUP BY ALL
) AS sized
GROUP BY questions
ORDER BY questions`,
  },
  {
    name: 'v_failures_by_question_type',
    describe:
      'One row for each mode, first questions and follow-ups apart: how many have no answer, or a lost file, and which shares these are; conversations of several questions have a row of their own where no two dated ones show the order',
    columns: {
      job_mode: ['VARCHAR', 'How answers are made: AUTO, ...'],
      question_type: ['VARCHAR', 'first question, follow-up, or order unknown'],
      ...FAILURES,
    },
    select: `SELECT
  s.job_mode,
  CASE WHEN NOT j.is_ordered THEN 'order unknown' WHEN j.place = 1 THEN 'first question' ELSE 'follow-up' END AS question_type,
  ${COUNT_FAILURES}
FROM (
  ${inConversation('FROM v_answers')}
) AS j
LEFT JOIN current_sessions AS s ON s.user_id = j.user_id AND s.session_id = j.session_id
GROUP BY ALL
ORDER BY ALL`,
  },
  {
    name: 'v_follow_ups_taken',
    describe:
      'One row for each month: questions after which others were proposed, and how often a proposed one was asked next, word for word',
    columns: {
      month: MONTH_OR_NONE,
      questions_with_proposals: ['BIGINT', 'Questions after which others were proposed'],
      proposals_taken: [
        'BIGINT',
        'Those after which a proposed one was asked next, word for word; null where the texts of none are archived, as in a pseudonymised copy, or the order of none is known',
      ],
      share: [
        'DOUBLE',
        'Share of these, from 0 to 1, of the questions that are not in order_unknown; null where proposals_taken is',
      ],
      order_unknown: [
        'BIGINT',
        'Of questions_with_proposals, those of conversations of several questions where no two dated ones show the order; not in proposals_taken and share',
      ],
    },
    select: `SELECT
  month,
  count(*) AS questions_with_proposals,
  CASE WHEN bool_or(is_known AND is_ordered) THEN count(*) FILTER (taken AND is_ordered) END AS proposals_taken,
  CASE WHEN bool_or(is_known AND is_ordered) THEN round(count(*) FILTER (taken AND is_ordered) / count(*) FILTER (is_ordered), 4) END AS share,
  count(*) FILTER (NOT is_ordered) AS order_unknown
FROM (
  SELECT j.*, EXISTS (FROM current_proposed_questions AS q WHERE ${onJob('q', 'j')} AND q.question IS NOT NULL) AS is_known, EXISTS (FROM current_proposed_questions AS q WHERE ${onJob('q', 'j')} AND trim(q.question) = trim(j.next_question)) AS taken
  FROM (
    ${inConversation('FROM v_questions')}
  ) AS j
  WHERE EXISTS (FROM current_proposed_questions AS q WHERE ${onJob('q', 'j')})
) AS proposed
GROUP BY month
ORDER BY month`,
  },
  {
    name: 'v_lost_files',
    describe:
      'One row for each kind, status and reason: files that are not archived, also those whose loss somebody has accepted, and in how many answers',
    columns: {
      kind: ['VARCHAR', 'TABLE, IMAGE, ...'],
      status: ['VARCHAR', 'expired, missing, rejected, ...'],
      reason: ['VARCHAR', 'Why the file is not archived'],
      files: ['BIGINT', 'Files'],
      questions: ['BIGINT', 'Questions with such a file'],
    },
    select: `SELECT kind, status, reason, count(*) AS files, count(DISTINCT (user_id, session_id, job_id)) AS questions
FROM current_artifacts
WHERE status <> 'stored'
GROUP BY ALL
ORDER BY files DESC, kind, status, reason`,
  },
  {
    name: 'v_most_used_sources',
    describe:
      'One row for each data source, known by its id: in how many answers and for how many users it was used, and when last; two of one name are two rows, one that was renamed is one; without an id a source is its name, file type and dataset; a pseudonymised copy has names only if it was made with --keep-text',
    columns: {
      datasource_id: ['VARCHAR', 'The data source; null where the service sends no id'],
      source: ['VARCHAR', 'Its name, when it was used last'],
      file_type: ['VARCHAR', 'The type of its file, when it was used last'],
      dataset_id: ['VARCHAR', 'Its dataset, when it was used last'],
      questions: ['BIGINT', 'Questions whose answer is based on it'],
      users: ['BIGINT', 'Users who asked these'],
      last_used: ['DATE', 'Day of the last of these whose ids tell their times'],
    },
    select: `SELECT
  datasource_id,
  ${atLastUse('source')},
  ${atLastUse('file_type')},
  ${atLastUse('dataset_id')},
  count(DISTINCT (user_id, session_id, job_id)) AS questions,
  count(DISTINCT person) AS users,
  max(asked_at)::DATE AS last_used
FROM (
  ${USED_SOURCES}
) AS used
GROUP BY datasource_id, named
ORDER BY questions DESC, source, file_type, dataset_id, datasource_id`,
  },
  {
    name: 'v_usage_by_user',
    describe:
      'One row for each user: conversations, questions, the first and the last day, and weeks with a question',
    columns: {
      user_id: ['VARCHAR', 'The user; of several spellings the one that an export has listed last'],
      conversations: ['BIGINT', 'Conversations with a question'],
      questions: ['BIGINT', 'Questions asked'],
      first_day: ['DATE', 'Day of the first question whose id tells its time'],
      last_day: ['DATE', 'Day of the last question whose id tells its time'],
      active_weeks: ['BIGINT', 'Weeks with a question'],
    },
    select: `SELECT
  person AS user_id,
  count(DISTINCT session_id) AS conversations,
  count(*) AS questions,
  min(asked_at)::DATE AS first_day,
  max(asked_at)::DATE AS last_day,
  count(DISTINCT week) AS active_weeks
FROM (${BY_PEOPLE})
GROUP BY person
ORDER BY questions DESC, person`,
  },
];

/** `v_questions`, which the others read, then in alphabetical order. */
export const QUESTION_VIEWS: readonly QuestionView[] = [
  QUESTIONS_VIEW,
  ...[...OTHER_VIEWS, ...WEEKLY_VIEWS].sort((a, b) => (a.name < b.name ? -1 : 1)),
];
