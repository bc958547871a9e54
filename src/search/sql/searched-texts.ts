/** The texts that a search looks in. */
import { isOfShapeSql, LIST_SHAPES } from '../../model/blocks/block-types.js';
import { FOLDING } from '../../base/text/fold-text.js';
import { FOLD_BLOCK, FOLD_TEXT } from '../fold-functions.js';
import { bitOfField, type SearchField } from '../search-fields.js';
import { JOB_VERSION_KEY, restriction, type SearchStatement } from './search-statement.js';

export const IS_CODE = isOfShapeSql('type', 'code');
const IS_LIST = `(${LIST_SHAPES.map((shape) => isOfShapeSql('type', shape)).join(' OR ')})`;
/** The entries of other JSON are in its text. */
const LIST_JSON = `CASE WHEN ${IS_LIST} THEN content_json END`;

/**
 * Every text that is searched: its words, folded, with its rank among those of its job, the field that it is in, of a table
 * its name, and what it is shown with. Tables that nobody asks for are not named.
 */
export function textsOf(search: SearchStatement): string {
  const { fields } = search;
  const has = (field: SearchField): boolean => fields.includes(field);
  const ofBlocks = [
    ...(has('question') ? ["role = 'question'"] : []),
    ...(has('answer') ? [`(role = 'answer' AND NOT ${IS_CODE})`] : []),
    ...(has('code') ? [IS_CODE] : []),
  ];
  const more = restriction(search, 'AND');
  const rank = `CASE WHEN role = 'question' THEN 0 WHEN ${IS_CODE} THEN 2000000 WHEN ${IS_LIST} THEN 3000000 ELSE 1000000 END`;
  const place = `CASE WHEN role = 'question' AND ${has('question')} THEN ${bitOfField('question')}
    WHEN ${IS_CODE} THEN ${bitOfField('code')} ELSE ${bitOfField('answer')} END`;
  const folded = (table: string, row: FoldedRow): string[] => foldedSelects(search, table, row);
  return [
    ...(ofBlocks.length > 0
      ? folded('blocks', {
          columns: `${rank} + block_index AS rank, ${place} AS place, NULL::VARCHAR AS file, role, type, content_text AS text, ${LIST_JSON} AS json`,
          fold: `${FOLD_BLOCK}(role, type, content_text, ${LIST_JSON})`,
          where: `(${ofBlocks.join(' OR ')})${more}`,
        })
      : []),
    ...(has('file')
      ? [
          `SELECT ${JOB_VERSION_KEY}, 4000000 + block_index AS rank, ${bitOfField('file')} AS place, NULL::VARCHAR AS file, ${OF_A_FILE}, name AS text, NULL::VARCHAR AS json, ${FOLD_TEXT}(name) AS words FROM artifacts WHERE name IS NOT NULL${more}`,
        ]
      : []),
    ...(has('table')
      ? folded('artifacts', {
          columns: `5000000 + block_index AS rank, ${bitOfField('table')} AS place, name AS file, ${OF_A_FILE}, table_text AS text, NULL::VARCHAR AS json`,
          fold: `${FOLD_TEXT}(table_text)`,
          where: `table_text IS NOT NULL${more}`,
        })
      : []),
  ].join('\n    UNION ALL ');
}

const OF_A_FILE = 'NULL::VARCHAR AS role, NULL::VARCHAR AS type';

interface FoldedRow {
  readonly columns: string;
  /** Makes the words of a row that has none, or those of another folding. */
  readonly fold: string;
  readonly where: string;
}

/** What is folded already is read apart where that spares the reading of texts: it is nearly everything. */
function foldedSelects(
  { readsColumns }: SearchStatement,
  table: string,
  { columns, fold, where }: FoldedRow,
): string[] {
  const select = (words: string, rows: string): string =>
    `SELECT ${JOB_VERSION_KEY}, ${columns}, ${words} AS words FROM ${table} WHERE ${rows}`;
  if (!readsColumns) {
    return [select(`CASE WHEN ${IS_FOLDED} THEN search_text ELSE ${fold} END`, where)];
  }
  return [
    select('search_text', `search_text IS NOT NULL AND ${IS_FOLDED} AND ${where}`),
    select(fold, `(search_version <> ${FOLDING} OR search_version IS NULL) AND ${where}`),
  ];
}

const IS_FOLDED = `search_version = ${FOLDING}`;
