/** What caveats of a search share: where it looked, and what it did not read to its end. */
import { boundsText } from '../../../model/times/timestamp.js';
import { agreeing, counted } from '../../../base/text/counted.js';
import type { LeftOutJob } from '../chosen-jobs.js';
import type { NamedPlace } from './named-places.js';
import type { CaveatNames, Naming } from './naming.js';
import type { Searched, UnreadTable } from './reading.js';

export function isNothingSearched(searched: Searched | undefined): boolean {
  return searched?.facts.searched_in?.length === 0;
}

/** Conversations in which a search looked. */
export function conversationsIn(searched: Searched, count: number): string {
  const all = counted(count, 'conversation');
  if (searched.facts.searched_in === null) return `${all} that may be of the period`;
  return `${all} that ${agreeing(count, 'was', 'were')} searched`;
}

/** What is said of a job that the period could not place. */
export const UNKNOWN_DATE = unknownDate(1);

export function unknownDate(count: number): string {
  const [them, were] = [agreeing(count, 'it', 'them'), agreeing(count, 'it was', 'they were')];
  return `no dated question beside ${them} tells whether ${were} asked within the period`;
}

export function placeOfUndated(job: LeftOutJob): NamedPlace {
  const { user, session, sessionName, created_after: after, created_before: before } = job;
  const bounds = boundsText(after, before);
  const note = bounds === null ? 'asked at an unknown time' : `asked ${bounds}`;
  return { user, session, sessionName, job: job.job, note };
}

/** The tables of which only the beginning was searched, or nothing. */
export function unreadNames(
  searched: Searched | undefined,
  naming: Naming,
  { isInPart, count: all }: { readonly isInPart: boolean; readonly count: number },
): CaveatNames {
  const { named = [], others = 0 } = searched?.unread ?? {};
  const tables = named.filter((table) => table.in_part === isInPart);
  const count = others > 0 ? undefined : all;
  const { named: lines, unnamed } = naming.first(tables, placeOfTable, count);
  // who they are is nobody's business who gets it
  const isTold = others > 0 && isInPart === named.every((table) => table.in_part);
  return {
    named: isTold ? [...lines, `${others} of people of whom nothing is here`] : lines,
    unnamed,
  };
}

function placeOfTable(table: UnreadTable): NamedPlace {
  const { user_id: user, session_id: session, session_name: sessionName, job_id: job } = table;
  const file = table.is_hidden === true ? undefined : table.file;
  const note = table.is_found ? 'the question was found all the same' : undefined;
  return { user, session, sessionName, job, file, note };
}
