/** What became of a request: its erasures may have left something, and something may have come back. */
import { agreeing, counted } from '../../../base/text/counted.js';
import { backTexts } from './erased-and-back.js';
import type { RestOfRequest } from './rest-of-request.js';

interface RequestState extends RestOfRequest {
  /** What of it went with an erasure. */
  readonly lost: 'whom' | 'words' | null;
  readonly isOpen: boolean;
}

const RESTS = { held: 'the rest is on hold', free: 'the rest can be erased' } as const;

/** One after the other, behind what was made for it; empty where there is nothing to tell. */
export function requestStateTexts({
  lost,
  isOpen,
  rest,
  may_come_back: comeBack,
  ...state
}: RequestState): string[] {
  return [
    ...(isOpen && lost !== null ? [lostText(lost)] : []),
    ...(rest === null ? [] : [isOpen ? RESTS[rest] : 'but not all was erased for it']),
    ...backTexts(state).map((text) => `but ${text}`),
    ...(comeBack === 0
      ? []
      : [
          `but up to ${counted(comeBack, 'erased conversation')} of a user on hold ${agreeing(comeBack, 'comes', 'come')} back with the next export`,
        ]),
  ];
}

/** Says of a request what of it went with an erasure. */
export function lostText(lost: 'whom' | 'words'): string {
  const what =
    lost === 'whom' ? 'everything that it is about was' : 'its words went with somebody who was';
  return `nothing can be made for it any more: ${what} erased`;
}
