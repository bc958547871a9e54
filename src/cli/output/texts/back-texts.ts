/** What erases again whom a request has back. */
import { eraseAgainWords } from '../../../archive/reading/requests/erased-and-back.js';
import type { BackOfRequest } from '../../../archive/reading/requests/rest-of-request.js';
import { type NextStep, onArchive, step } from '../../../base/next-step.js';

/** Without the request, whose record does not say any more who it is. */
export function eraseAgain(again: readonly BackOfRequest[]): NextStep | undefined {
  if (again.length === 0) return undefined;
  const text = step`${onArchive('erase', ...eraseAgainWords(again))} erases again what came back`;
  return again.some(({ held }) => held) ? step`After the hold is released, ${text}` : text;
}

export function ending(text: NextStep | undefined): NextStep | undefined {
  return text && step`${text}.`;
}
