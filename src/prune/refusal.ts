/** Why a session that a rule selects may not go: a word for programs, a sentence for people. */
export interface Refusal {
  readonly reason: RefusalReason;
  readonly detail: string;
}

export type RefusalReason =
  // what the log says
  | 'incomplete'
  | 'unsettled'
  | 'gap'
  | 'suspicious'
  | 'hold'
  | 'max-delete'
  | 'outdated'
  | 'export'
  // what reading the archive back shows
  | 'damaged'
  | 'rows'
  // what the service says
  | 'clock'
  | 'not-listed'
  | 'unproven'
  | 'files'
  | 'grown'
  | 'changed'
  | 'vanished'
  | 'service'
  // what came of the deletion
  | 'conflict'
  | 'still-there'
  | 'unconfirmed';

export function refusal(reason: RefusalReason, detail: string): Refusal {
  return { reason, detail };
}

/** `1 job`, `2 jobs`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
