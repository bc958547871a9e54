/** The rows of a job in the tables that have several of it: blocks, sources, proposed questions, artifacts. */
import type { RowOf, Row } from '../model/table-schema.js';
import {
  type blocksTable,
  type proposedQuestionsTable,
  sourcesTable,
  type artifactsTable,
} from '../model/tables.js';
import type { BlockShape } from '../model/blocks/block-types.js';
import type { Block } from './job-blocks.js';
import { placeKey, type FileReference } from './file-references.js';
import { type FileFacts } from './file-facts.js';
import { asObject } from '../model/records.js';
import { arrayElements } from '../model/json-outline.js';
import { objectMembers } from '../model/json-parts.js';
import { entriesOf, questionText, sourceFields } from '../model/blocks/list-entries.js';
import { textIn } from '../model/mask-secrets.js';
import { fencedCode } from '../model/markdown/fenced-code.js';
import { searchCells, textsAsRead } from '../model/blocks/search-text.js';
import { withoutSecrets } from '../model/urls/url-secrets.js';
import { RecordFields } from './record-rows.js';
import { nameInPath, shownFileUrl } from '../model/urls/shown-url.js';
import type { JobId, RunId, SessionId, UserId } from '../model/ids.js';

/** One row per block: its text, and where that is not all of it, its JSON. */
export function blockRows(
  context: JobContext,
  blocks: readonly Block[],
  files: ReadonlyMap<string, FileFacts>,
): RowOf<typeof blocksTable>[] {
  return blocks.map((block) => {
    const { role, type, text, content } = block;
    return {
      user_id: context.userId,
      session_id: context.sessionId,
      job_id: context.jobId,
      job_version: context.jobVersion,
      role: block.role,
      block_index: block.index,
      type: block.type,
      type_raw: block.typeRaw,
      stage: block.stage,
      group_id: block.groupId,
      group_name: block.groupName,
      content_text: text,
      content_json: block.contentJson,
      code_language:
        block.shape === 'code' && text !== null ? (fencedCode(text)?.language ?? null) : null,
      char_count: block.characters,
      artifact_sha256: files.get(firstFile(block))?.stored?.sha256 ?? null,
      ...searchCells(textsAsRead({ role, type, text, content })),
      run_id: context.runId,
      exported_at: context.exportedAt,
    };
  });
}

function firstFile({ role, index }: Block): string {
  return placeKey({ role, blockIndex: index, fileIndex: 0 });
}

const SOURCE = new RecordFields(sourcesTable);

/** One row per entry of the lists inside blocks of sources. */
export function sourceRows(
  context: JobContext,
  blocks: readonly Block[],
): Rows<RowOf<typeof sourcesTable>> {
  return rowsOfEntries(blocks, 'sources', ({ blockIndex, index, value, text }) => {
    const fields = sourceFields(value);
    const isObject = asObject(value) !== undefined;
    const extra = isObject ? SOURCE.extraJson({ value: fields ?? {}, text }) : text;
    return {
      user_id: context.userId,
      session_id: context.sessionId,
      job_id: context.jobId,
      job_version: context.jobVersion,
      block_index: blockIndex,
      source_index: index,
      ...SOURCE.cells(fields),
      extra_json: typeof value === 'string' ? null : extra,
      source_entry_id: isObject ? idIn(fields, text) : null,
      run_id: context.runId,
      exported_at: context.exportedAt,
    };
  });
}

/** A text, or a number with the digits that it has in the JSON; null of anything else. */
function idIn(fields: Readonly<Record<string, unknown>> | undefined, json: string): string | null {
  if (typeof fields?.['id'] !== 'number') return textIn(fields, 'id');
  const span = objectMembers(json).get('id');
  return span ? json.slice(span.start, span.end) : null;
}

/** One row per entry of the lists inside blocks of questions; an entry in which no question is found is kept as its JSON. */
export function questionRows(
  context: JobContext,
  blocks: readonly Block[],
): Rows<RowOf<typeof proposedQuestionsTable>> {
  return rowsOfEntries(blocks, 'questions', ({ blockIndex, index, value, text }) => ({
    user_id: context.userId,
    session_id: context.sessionId,
    job_id: context.jobId,
    job_version: context.jobVersion,
    block_index: blockIndex,
    question_index: index,
    question: questionOf(value, text),
    run_id: context.runId,
    exported_at: context.exportedAt,
  }));
}

function questionOf(value: unknown, json: string): string | null {
  const text = questionText(value);
  return text === undefined ? json : text;
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
  /** Whether they come as a list: else there is one, which is the whole JSON. */
  readonly isList: boolean;
  readonly json: string;
}

/** One at a time: a list may have 600,000 entries, and their rows are several times as large. */
function rowsOfEntries<R extends Row>(
  blocks: readonly Block[],
  shape: BlockShape,
  rowOf: (entry: Entry) => R,
): Rows<R> {
  const lists = blocks.flatMap(({ role, index, shape: blockShape, content, contentJson: json }) =>
    role === 'answer' && blockShape === shape && json !== null
      ? [{ blockIndex: index, values: entriesOf(content), isList: Array.isArray(content), json }]
      : [],
  );
  const length = lists.reduce((sum, { values }) => sum + values.length, 0);
  return new LazyRows(length, () => entriesIn(lists), rowOf);
}

function* entriesIn(lists: readonly EntryList[]): Generator<Entry> {
  for (const { blockIndex, values, isList, json } of lists) {
    let index = 0;
    const spans = isList ? arrayElements(json) : values.map(() => ({ start: 0, end: json.length }));
    for (const { start, end } of spans) {
      yield { blockIndex, index, value: values[index], text: json.slice(start, end) };
      index++;
    }
  }
}

interface SettledFiles {
  /** By `placeKey`. */
  readonly files: ReadonlyMap<string, FileFacts>;
  /** By SHA-256. */
  readonly tableTexts: ReadonlyMap<string, string>;
  /** The addresses of the record's files: a table may have their URLs. */
  readonly addresses: ReadonlySet<string>;
}

/** One row for each place that points to a file, stored or not. */
export function artifactRows(
  context: JobContext,
  references: readonly FileReference[],
  { files, tableTexts, addresses }: SettledFiles,
): RowOf<typeof artifactsTable>[] {
  return references.map((reference) => {
    const facts = files.get(placeKey(reference));
    if (!facts) throw new RangeError(`the file at ${placeKey(reference)} is not settled`);
    const stored = facts.stored;
    const beginning = stored?.hasTableText ? tableTexts.get(stored.sha256) : undefined;
    const tableText =
      beginning === undefined ? null : withoutSecrets(beginning, { files: addresses });
    return {
      user_id: context.userId,
      session_id: context.sessionId,
      job_id: context.jobId,
      job_version: context.jobVersion,
      role: reference.role,
      block_index: reference.blockIndex,
      file_index: reference.fileIndex,
      kind: reference.kind === '' ? null : reference.kind,
      name: reference.name ?? stored?.sentName ?? nameInPath(reference.url),
      url: reference.url === null ? null : shownFileUrl(reference.url),
      expires_at: reference.expiresAt,
      status: facts.status,
      reason: facts.reason,
      suspicious: stored?.suspicious ?? null,
      sha256: stored?.sha256 ?? null,
      bytes: stored ? BigInt(stored.bytes) : null,
      media_type: stored?.mediaType ?? null,
      path: stored?.path ?? null,
      row_count: stored?.rowCount == null ? null : BigInt(stored.rowCount),
      column_count: stored?.columnCount ?? null,
      encoding: stored?.encoding ?? null,
      separator: stored?.separator ?? null,
      heading_line: stored?.headingLine ?? null,
      width: stored?.width ?? null,
      height: stored?.height ?? null,
      table_text: tableText,
      ...searchCells(tableText === null ? [] : [tableText]),
      run_id: context.runId,
      exported_at: context.exportedAt,
    };
  });
}

/** What the rows of a job share beyond its record. */
export interface JobContext {
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly jobId: JobId;
  /** From 1; grows whenever the job is written again. */
  readonly jobVersion: number;
  readonly runId: RunId;
  /** Microseconds since 1970 UTC. */
  readonly exportedAt: bigint;
}

/** Rows in order, as often as they are read: an array, or rows that are made while they are read. */
export interface Rows<R> extends Iterable<R> {
  readonly length: number;
}

/** Makes each row when it is read, and keeps none. */
export class LazyRows<T, R> implements Rows<R> {
  /** @param rowOf gives the same row each time */
  constructor(
    readonly length: number,
    readonly items: () => Iterable<T>,
    readonly rowOf: (item: T) => R,
  ) {}

  *[Symbol.iterator](): Generator<R> {
    for (const item of this.items()) yield this.rowOf(item);
  }
}
