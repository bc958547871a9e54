/** Everything by which a job is to be found. */
import type { BlockView, JobView, TableView } from '../page-data.js';
import type { JobRows } from '../../archive/reading/session-jobs.js';
import { textIn } from '../../model/text-in.js';

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

export function restOf(rows: JobRows, view: JobView, tables: readonly TableView[]): string {
  const texts = rows.blocks.flatMap((block) =>
    textIn(block, 'role') === 'question' ? [] : [textIn(block, 'content_text') ?? ''],
  );
  for (const step of view.steps)
    texts.push(step.name, ...step.blocks.map((one) => told(one, tables)));
  texts.push(...[...view.question, ...view.answer].map((one) => told(one, tables)), view.id);
  return texts.join('\n');
}

/** What a block says beside its text. */
function told(block: BlockView, tables: readonly TableView[]): string {
  switch (block.kind) {
    case 'text':
    case 'markdown':
    case 'code':
      return '';
    case 'table': {
      const { header = [], rows = [] } = tables[block.table] ?? {};
      return [block.name, ...header, ...rows.flat()].join('\n');
    }
    case 'image':
    case 'file':
      return block.name;
    case 'lost':
      return `${block.name} ${block.status}`;
    case 'sources':
      return block.sources
        .map(({ name, dataset, more, passage }) => `${name} ${dataset} ${more}\n${passage}`)
        .join('\n');
    case 'questions':
      return block.questions.join('\n');
    case 'json':
      return `${block.type} ${block.json}`;
  }
}
