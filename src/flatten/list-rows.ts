/** The lists inside SOURCES and QUESTIONS blocks: one row per entry. */
import { asObject } from '../model/records.js';
import { arrayElements } from '../model/json-spans.js';
import type { RowOf } from '../model/table-schema.js';
import { textIn } from '../model/text-in.js';
import type { questionsTable, sourcesTable } from '../model/tables.js';
import { extraJson, fitsText } from './extra-json.js';
import type { Block } from './job-blocks.js';
import type { JobContext } from './job-context.js';

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
): RowOf<typeof sourcesTable>[] {
  return Array.from(entriesOf(blocks, 'SOURCES'), ({ blockIndex, index, value, text }) => {
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
): RowOf<typeof questionsTable>[] {
  return Array.from(entriesOf(blocks, 'QUESTIONS'), ({ blockIndex, index, value, text }) => ({
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

/** One at a time: a list may have 600,000. */
function* entriesOf(blocks: readonly Block[], type: string): Generator<Entry> {
  for (const { role, index: blockIndex, type: own, content, contentJson: json } of blocks) {
    if (role !== 'answer' || own !== type || json === null || !Array.isArray(content)) continue;
    for (const [index, { start, end }] of arrayElements(json).entries()) {
      yield { blockIndex, index, value: content[index] as unknown, text: json.slice(start, end) };
    }
  }
}
