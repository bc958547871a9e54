/** What a job says, text by text: where a phrase is looked for, and what a result shows of it. */
import type { BlockView, FoundJob, JobView, PieceData, TableView } from '../page-data.js';
import { load } from './data.js';

/** The texts of a job that a search has found, the most telling first; none where its piece does not have it. */
export async function textsOf({
  session,
  piece,
  id,
  sessionName,
}: FoundJob): Promise<readonly string[]> {
  const { jobs, tables } = await load<PieceData>(`s/${session}-${piece}`);
  const job = jobs.find((one) => one.id === id);
  return job ? [...textsOfJob(job, tables), sessionName ?? ''] : [];
}

function textsOfJob({ question, answer, steps, id }: JobView, tables: readonly TableView[]) {
  const blocks = [...answer, ...question, ...steps.flatMap((step) => step.blocks)];
  const texts = blocks.flatMap((block) => textsOfBlock(block, tables));
  return [...texts, ...steps.map(({ name }) => name), id];
}

function textsOfBlock(block: BlockView, tables: readonly TableView[]): string[] {
  switch (block.kind) {
    case 'markdown':
    case 'code': {
      // parsed where nothing runs and nothing loads
      const { body } = new DOMParser().parseFromString(block.html, 'text/html');
      const links = [...body.querySelectorAll('a')].map((link) => link.getAttribute('href') ?? '');
      return [body.textContent, ...links];
    }
    case 'table': {
      const { header = [], rows = [] } = tables[block.table] ?? {};
      return [block.name, ...[header, ...rows].map((row) => row.join(' '))];
    }
    case 'sources':
      return block.sources.flatMap(({ name, dataset, more, passage }) => [
        `${name} ${dataset} ${more}`,
        passage,
      ]);
    case 'questions':
      return [...block.questions];
    case 'text':
      return [block.text];
    case 'json':
      return [block.type, block.json];
    case 'lost':
      return [`${block.name} ${block.status}`];
    case 'image':
    case 'file':
      return [block.name];
  }
}
