/** Everything by which a job is to be found. */
import { type JobRows } from '../../archive/reading/rows/session-rows.js';
import type { Row } from '../../model/table-schema.js';
import { textIn, textOrEmpty } from '../../model/mask-secrets.js';
import type { JobView, TableView } from '../page-data.js';
import { wordsOfTable } from '../words-of-table.js';
import { foldText } from '../../base/text/fold-text.js';
import { isListShape, shapeOf } from '../../model/blocks/block-types.js';
import {
  contentOf,
  searchText,
  textsAsRead,
  type SearchedBlock,
} from '../../model/blocks/search-text.js';

/** What the outline and the results of a search show of a question. */
const EXCERPT_CHARACTERS = 160;

export function questionOf({ blocks }: JobRows): string {
  return blocks
    .filter((block) => textIn(block, 'role') === 'question')
    .map((block) => textIn(block, 'content_text') ?? '')
    .join('\n');
}

export function excerptOf(text: string): string {
  const line = text.replace(/\s\s*/g, ' ').trim();
  const characters = Array.from(line);
  return characters.length > EXCERPT_CHARACTERS
    ? `${characters.slice(0, EXCERPT_CHARACTERS).join('')}…`
    : line;
}

/** As `jobvault search` looks through a job. */
export function searchedWords(
  { blocks, artifacts }: JobRows,
  { name, tables }: { readonly name: string | null; readonly tables: readonly TableView[] },
): string {
  const names = artifacts.map((row) => textOrEmpty(row, 'name'));
  return [
    ...[name ?? '', ...names].map(foldText),
    ...blocks.map((block) => searchText(textsAsRead(searchedBlock(block))) ?? ''),
    ...tables.map(wordsOfTable),
  ].join('');
}

function searchedBlock(row: Row): SearchedBlock {
  const type = textIn(row, 'type');
  const json = isListShape(shapeOf(type)) ? textIn(row, 'content_json') : null;
  const text = textIn(row, 'content_text');
  return { role: textIn(row, 'role'), type, text, content: contentOf(json) };
}

export function tablesIn(
  { question, answer, steps }: JobView,
  tables: readonly TableView[],
): TableView[] {
  const blocks = [...question, ...answer, ...steps.flatMap((step) => step.blocks)];
  return blocks.flatMap((block) => (block.kind === 'table' ? (tables[block.table] ?? []) : []));
}
