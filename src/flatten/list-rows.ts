/** The lists inside SOURCES and QUESTIONS blocks: one row per entry. */
import { asObject } from '../model/records.js';
import { arrayElements } from '../model/json-outline.js';
import type { Row, RowOf } from '../model/table-schema.js';
import { textIn } from '../model/text-in.js';
import type { questionsTable, sourcesTable } from '../model/tables.js';
import { extraJson, fitsText } from './extra-json.js';
import type { Block } from './job-blocks.js';
import type { JobContext } from './job-context.js';
import { LazyRows, type Rows } from './lazy-rows.js';

const SOURCE_FIELDS = {
  source: fitsText,
  datasource_id: fitsText,
  dataset_id: fitsText,
  file_type: fitsText,
  external_id: fitsText,
};

export function sourceRows(
  context: JobContext,
  blocks: readonly Block[],
): Rows<RowOf<typeof sourcesTable>> {
  return rowsOfEntries(blocks, 'SOURCES', ({ blockIndex, index, value, text }) => {
    const fields = asObject(value);
    return {
      user_id: context.userId,
      session_id: context.sessionId,
      job_id: context.jobId,
      job_version: context.jobVersion,
      block_index: blockIndex,
      source_index: index,
      source: textIn(fields, 'source'),
      datasource_id: textIn(fields, 'datasource_id'),
      dataset_id: textIn(fields, 'dataset_id'),
      file_type: textIn(fields, 'file_type'),
      external_id: textIn(fields, 'external_id'),
      extra_json: fields ? extraJson({ value: fields, text }, SOURCE_FIELDS) : text,
      run_id: context.runId,
      exported_at: context.exportedAt,
    };
  });
}

/** An entry that is neither text nor null is kept as its JSON. */
export function questionRows(
  context: JobContext,
  blocks: readonly Block[],
): Rows<RowOf<typeof questionsTable>> {
  return rowsOfEntries(blocks, 'QUESTIONS', ({ blockIndex, index, value, text }) => ({
    user_id: context.userId,
    session_id: context.sessionId,
    job_id: context.jobId,
    job_version: context.jobVersion,
    block_index: blockIndex,
    question_index: index,
    question: typeof value === 'string' || value === null ? value : text,
    run_id: context.runId,
    exported_at: context.exportedAt,
  }));
}

interface Entry {
  readonly blockIndex: number;
  readonly index: number;
  readonly value: unknown;
  /** The entry's own JSON. */
  readonly text: string;
}

interface EntryList {
  readonly blockIndex: number;
  readonly values: readonly unknown[];
  readonly json: string;
}

/** One at a time: a list may have 600,000 entries, and their rows are several times as large. */
function rowsOfEntries<R extends Row>(
  blocks: readonly Block[],
  type: string,
  rowOf: (entry: Entry) => R,
): Rows<R> {
  const lists = blocks.flatMap(({ role, index, type: own, content, contentJson: json }) =>
    role === 'answer' && own === type && json !== null && Array.isArray(content)
      ? [{ blockIndex: index, values: content as readonly unknown[], json }]
      : [],
  );
  const length = lists.reduce((sum, { values }) => sum + values.length, 0);
  return new LazyRows(length, () => entriesOf(lists), rowOf);
}

function* entriesOf(lists: readonly EntryList[]): Generator<Entry> {
  for (const { blockIndex, values, json } of lists) {
    let index = 0;
    for (const { start, end } of arrayElements(json)) {
      yield { blockIndex, index, value: values[index], text: json.slice(start, end) };
      index++;
    }
  }
}
