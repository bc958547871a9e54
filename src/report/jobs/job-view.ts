/** A job's rows as a turn of the conversation: the question, the steps of the analysis, the answer. */
import {
  answerBlockOf,
  blockKey,
  inBlockOrder,
  type JobRows,
  stepOf,
} from '../../archive/reading/rows/session-rows.js';
import { isAnswered } from '../../model/blocks/answered.js';
import { textIn } from '../../model/mask-secrets.js';
import { type BlockContext, blockViews, fileView } from './block-view.js';
import { msIn, whenOf } from '../../model/times/asked-times.js';
import { numberIn } from '../row-cells.js';
import type { BlockView, JobView, StepView } from '../page-data.js';
import { groupBy } from '../../base/group-by.js';

export async function jobView(
  { job, blocks, artifacts }: JobRows,
  earlier: readonly JobView[],
  settled: boolean,
  context: BlockContext,
): Promise<JobView> {
  const question: BlockView[] = [];
  const answer: BlockView[] = [];
  const steps: { name: string; id: string; blocks: BlockView[] }[] = [];
  const files =
    artifacts.length === 0 ? undefined : groupBy(inBlockOrder(artifacts, 'file_index'), blockKey);
  for (const block of inBlockOrder(blocks)) {
    const isQuestion = textIn(block, 'role') === 'question';
    const step = stepOf(block);
    const views = await blockViews(block, files?.get(blockKey(block)) ?? [], context);
    if (isQuestion) {
      question.push(...views);
    } else if (step) {
      const last = steps.at(-1);
      if (last?.id === step.id) last.blocks.push(...views);
      else steps.push({ ...step, blocks: views });
    } else {
      answer.push(...views);
    }
  }
  // files that stand neither in the question nor in the answer
  for (const row of artifacts.filter((candidate) => textIn(candidate, 'role') === 'record')) {
    answer.push(await fileView(row, context));
  }
  return {
    id: textIn(job, 'job_id') ?? '',
    version: numberIn(job, 'job_version') ?? 1,
    created: whenOf(job),
    exported: msIn(job, 'exported_at'),
    settled,
    question,
    steps: steps.map(({ name, blocks }): StepView => ({ name, blocks })),
    answer,
    isAnswered: isAnswered(blocks.map(answerBlockOf)),
    earlier,
    redaction: null,
    found: [],
    isUndated: false,
    number: null,
  };
}
