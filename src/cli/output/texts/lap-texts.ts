/** The lap of the runs round all users and conversations, in words. */
import { secondText } from './time-text.js';

/** `number 3 round all conversations since 2026-01-31T09:30:00Z` */
export function lapText({
  number,
  began_at: beganAt,
}: {
  readonly number: number;
  readonly began_at: string;
}): string {
  return `number ${number} round all conversations since ${secondText(beganAt)}`;
}

export const LAP_OVERDUE = 'the lap takes longer than --max-staleness';
