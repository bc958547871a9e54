/** What each hit is shown with. */
import { sqlText } from '../../query/sql-text.js';
import { IS_CODE } from './searched-texts.js';
import { JOB_VERSION_KEY, JOB_KEY } from './search-statement.js';
import { hasAny } from './word-bits.js';

/**
 * For each hit that text as JSON; the question where no word stands in a text of the job, or only in code. The place of the text is no
 * condition of the join: then DuckDB would read all texts again, not only those of the hits. Files of one block have one
 * place, so the word is looked for in each.
 */
export function hitTextsSelect(texts: string, sought: readonly string[]): string {
  const question = `SELECT ${JOB_KEY}, to_json({text: question_text})::VARCHAR AS said FROM hits JOIN jobs USING (${JOB_VERSION_KEY}) WHERE hits.rank IS NULL`;
  if (texts === '' || sought.length === 0) return question;
  const isShown = `shown.rank = hits.rank AND NOT coalesce(${IS_CODE}, false) AND ${hasAny('words', sought)}`;
  const found = `SELECT ${JOB_VERSION_KEY}, min(CASE WHEN ${isShown} THEN ${saidOf(sought)} END) AS text
  FROM (${texts}) AS shown JOIN hits USING (${JOB_VERSION_KEY}) WHERE hits.rank IS NOT NULL GROUP BY ${JOB_VERSION_KEY}`;
  return `SELECT ${JOB_KEY}, coalesce(text, to_json({text: question_text})::VARCHAR) AS said
  FROM (${found}) JOIN jobs USING (${JOB_VERSION_KEY})
  UNION ALL ${question}`;
}

/** Longer texts are not passed on: a hit is shown with one line of it. */
const LONG_TEXT_BYTES = 1_000_000;
/** How many characters of a long text stand before the first word that was found, and in all. */
const NEAR = { before: 100, length: 400 } as const;

/** What a hit is shown with: the text, or the words around the first one of a text that is long. */
function saidOf(sought: readonly string[]): string {
  const places = sought.map((word) => `nullif(strpos(words, ${sqlText(word)}), 0)`);
  const near = `substr(words, greatest(1, least(${places.join(', ')}) - ${NEAR.before}), ${NEAR.length})`;
  return `CASE WHEN coalesce(strlen(text), 0) + coalesce(strlen(json), 0) <= ${LONG_TEXT_BYTES}
      THEN to_json({role: role, type: type, text: text, json: json})::VARCHAR ELSE to_json({text: '…' || ${near} || '…'})::VARCHAR END`;
}
