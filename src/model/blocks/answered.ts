/** What is an answer: a text, a table or an image in the stage Respond. `IS_ANSWERED` of `query/views/view-parts.ts` says the same in SQL. */
import { isFileShape, shapeOf } from './block-types.js';
import { RESPOND } from './stages.js';

/** What marks a question whose answer has not settled. */
export const MAY_CHANGE = 'may still change';

/**
 * The end of what is said of a question without an answer.
 *
 * @param isAnythingShown whether blocks stand above it that are none
 * @param steps where steps stand, one of which may be an error; null where there are none
 */
export function whyNoAnswer(isAnythingShown: boolean, steps: string | null): string {
  const none = 'nothing of it is a text, a table or an image in the stage Respond';
  return `${isAnythingShown ? `: ${none}` : ''}${steps === null ? '' : `; ${steps} may say why`}`;
}

/** A block as the table `blocks` has it. */
export interface AnswerBlock {
  readonly role: string | null;
  readonly stage: string | null;
  readonly type: string | null;
  /** The length of its text; null where it has none. */
  readonly characters: number | null;
}

export function isAnswered(blocks: Iterable<AnswerBlock>): boolean {
  for (const { role, stage, type, characters } of blocks) {
    if (role !== 'answer' || stage !== RESPOND) continue;
    if ((characters ?? 0) > 0 || isFileShape(shapeOf(type))) return true;
  }
  return false;
}
