/** Goes through what the rules select of one user, as far as the rules let it; a plan and a run alike. */
import type { ArchivedSession } from '../archive/state/archived-session.js';
import { addSession, outcomeOf, type PruneSummary, type ShortOfSlots } from './prune-summary.js';
import { refusal } from './refusal.js';
import { whyAmongNewest, type SelectedSessions } from './selection-rules.js';

/** Deletions that the run may still make. */
interface Budget {
  readonly maxDelete: number;
  remaining: number;
}

export interface SelectedAttempts {
  readonly user: string;
  readonly selection: SelectedSessions;
  /** Whether somebody named the sessions, or the held user: then one on hold is refused. */
  readonly isNamed: boolean;
  /** Whether a saved plan says which: others are not asked about. */
  readonly isOfPlan: boolean;
  /** Why a plan that was agreed to frees fewer slots of the user than are asked for; undefined where it does not, or was not shown. */
  readonly whyShownShort?: ShortOfSlots['why'] | undefined;
  /** How many must go; undefined where as many as may go do. */
  readonly wanted: number | undefined;
  readonly budget: Budget;
  readonly summary: PruneSummary;
  /** As the summary is to show it; null where it is not known. */
  readonly nameOf: (archived: ArchivedSession) => string | null;
  /** Called for each that may go, one after the other; tells the summary, and resolves with whether it went or may have gone. */
  readonly attempt: (archived: ArchivedSession) => Promise<boolean>;
}

/** With a number that must go, the oldest go; of those of which nothing shows that they are among them, none does. */
export async function attemptSelected(options: SelectedAttempts): Promise<void> {
  const { selection, wanted = Infinity, budget, summary, nameOf, attempt } = options;
  let [gone, limited] = [0, 0];
  const missing = (): number => wanted - gone - limited;
  const open = new Set(
    selection.chosen.filter(({ refusal }) => !refusal).map(({ archived }) => archived),
  );
  const waiting = new Map<ArchivedSession, string>();
  const keep = (archived: ArchivedSession, detail: string): void => {
    addSession(summary, archived, 'kept', { name: nameOf(archived), detail });
  };
  /** @returns whether it is decided what becomes of it */
  const consider = async (archived: ArchivedSession): Promise<boolean> => {
    const newest = { keep: open.size - missing(), kind: ' that may go' };
    const why = whyAmongNewest(archived, [...open], newest);
    if (why !== undefined) {
      waiting.set(archived, why);
      return false;
    }
    waiting.delete(archived);
    open.delete(archived);
    if (budget.remaining <= 0) {
      const detail = `the next run goes on: --max-delete ${budget.maxDelete}`;
      const forbidden = refusal('max-delete', detail);
      addSession(summary, archived, 'left', { name: nameOf(archived), refusal: forbidden });
      summary.max_delete = budget.maxDelete;
      limited++;
    } else if (await attempt(archived)) {
      gone++;
      budget.remaining--;
    }
    return true;
  };
  for (const [place, { archived, refusal: forbidden }] of selection.chosen.entries()) {
    if (missing() <= 0) keep(archived, gone >= wanted ? REACHED : ENOUGH);
    else if (!forbidden) await consider(archived);
    else if (place >= wanted) {
      keep(archived, `could not go in place of another: ${forbidden.detail}`);
    } else {
      const outcome = outcomeOf(forbidden, options);
      addSession(summary, archived, outcome, { name: nameOf(archived), refusal: forbidden });
    }
  }
  // once another could not go, it may be one of the oldest
  for (let isMoving = true; isMoving;) {
    isMoving = false;
    for (const archived of [...waiting.keys()]) {
      if (missing() > 0 && (await consider(archived))) isMoving = true;
    }
  }
  for (const [archived, why] of waiting) keep(archived, why);
  if (options.wanted !== undefined && gone < wanted) {
    const short = { user: options.user, missing: wanted - gone };
    summary.short_of_slots.push({ ...short, why: whyShort(options, waiting.size) });
  }
  for (const { archived, why } of selection.kept) keep(archived, why);
}

const REACHED = 'the target of free slots is already reached';
const ENOUGH = 'the target of free slots needs no more than what the next run goes on with';

function whyShort(
  { isOfPlan, whyShownShort, summary, user }: SelectedAttempts,
  waiting: number,
): ShortOfSlots['why'] {
  const isLeft = summary.sessions.some((seen) => seen.user === user && seen.outcome === 'left');
  if (isLeft) return 'limit';
  if (waiting > 0) return 'order';
  return isOfPlan ? 'plan' : (whyShownShort ?? 'no-other');
}
