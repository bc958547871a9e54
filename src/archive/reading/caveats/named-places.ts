/** What a caveat names: the user, session, job or file that it is about, as a line for people. */
import { FILE_WITHOUT_NAME } from '../../../model/blocks/block-types.js';
import type { GapEntry } from '../../log/commit.js';

export interface NamedPlace {
  readonly user?: string | undefined;
  /** What the user is called in its place: a hold is told as the spelling of the user that it names. */
  readonly userAs?: string | undefined;
  readonly session?: string | null | undefined;
  /** Undefined where nobody has asked for it; null of a session without a name. */
  readonly sessionName?: string | null | undefined;
  readonly job?: string | null | undefined;
  /** What a table or an image is called; null where it has no name. */
  readonly file?: string | null | undefined;
  /** What is the matter with it. */
  readonly note?: string | undefined;
}

/** How many places are kept of each kind; the others are counted. */
export const MOST_NAMED = 200;

export class NamedPlaces {
  count = 0;
  readonly #places: NamedPlace[] = [];

  add(place: NamedPlace): void {
    this.count++;
    if (this.#places.length < MOST_NAMED) this.#places.push(place);
  }

  addUnnamed(count: number): void {
    this.count += count;
  }

  get places(): readonly NamedPlace[] {
    return this.#places;
  }
}

/** Places of which somebody may have accepted how they are. */
export class DecidedPlaces extends NamedPlaces {
  accepted = 0;
  /**
   * How many of the others no run decides: of sessions that are no longer at the service, and doubts
   * about jobs of a session that was erased.
   */
  ofAbsent = 0;
  /** How many of the rest are of users whom exports read no more. */
  ofUnread = 0;

  decide({
    isAccepted,
    isAbsent,
    isReadNoMore,
  }: {
    readonly isAccepted: boolean;
    readonly isAbsent: boolean;
    readonly isReadNoMore: boolean;
  }): void {
    if (isAccepted) this.accepted++;
    else if (isAbsent) this.ofAbsent++;
    else if (isReadNoMore) this.ofUnread++;
  }

  get open(): number {
    return this.count - this.accepted;
  }
}

/** `ada, “costs.csv” in “Sales” (session s, job j): not searched` */
export function placeLine(place: NamedPlace): string {
  const { user, userAs = user, session, sessionName, job, file, note } = place;
  const ids = [
    ...(session == null ? [] : [`session ${session}`]),
    ...(job == null ? [] : [`job ${job}`]),
  ].join(', ');
  const title = sessionName == null || sessionName === '' ? undefined : `“${sessionName}”`;
  const name = file == null || file === '' ? FILE_WITHOUT_NAME : `“${file}”`;
  const titled = [...(file === undefined ? [] : [name]), ...(title === undefined ? [] : [title])];
  const what = titled.join(' in ');
  const where = what === '' || ids === '' ? what + ids : `${what} (${ids})`;
  const whole = [userAs, where].filter((part) => part !== undefined && part !== '').join(', ');
  return note === undefined ? whole : whole === '' ? note : `${whole}: ${note}`;
}

/** The place of a file in a job: `block 2 (TABLE)`; empty where the gap is not about a file. */
export function filePlace({
  role,
  block_index: block,
  file_index: file,
  kind,
}: Pick<GapEntry, 'role' | 'block_index' | 'file_index' | 'kind'>): string {
  if (block === null) return '';
  const ofQuestion = role === 'question' ? ' of the question' : '';
  const place = role === 'record' ? 'outside of the blocks' : `block ${block}${ofQuestion}`;
  const which = file === null || file === 0 ? '' : `, file ${file}`;
  return `${place}${which}${kind === null || kind === '' ? '' : ` (${kind})`}`;
}
