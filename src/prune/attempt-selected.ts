/** Goes through what the rules select of one user, as far as the rules let it; a plan and a run alike. */
import type { ArchivedSession } from '../archive/state/archived-session.js';
import { addSession, outcomeOf, type PruneSummary } from './prune-summary.js';
import { refusal } from './refusal.js';
import type { SelectedSessions } from './selection-rules.js';

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
  /** How many must go; undefined where as many as may go do. */
  readonly wanted: number | undefined;
  readonly budget: Budget;
  readonly summary: PruneSummary;
  /** As the summary is to show it; null where it is not known. */
  readonly nameOf: (archived: ArchivedSession) => string | null;
  /** Called for each that may go, one after the other; tells the summary, and resolves with whether it went or may have gone. */
  readonly attempt: (archived: ArchivedSession) => Promise<boolean>;
}

export async function attemptSelected(options: SelectedAttempts): Promise<void> {
  const { selection, wanted = Infinity, budget, summary, nameOf, attempt } = options;
  let gone = 0;
  for (const { archived, refusal: forbidden } of selection.chosen) {
    const name = nameOf(archived);
    if (gone >= wanted) {
      addSession(summary, archived, 'kept', {
        name,
        detail: 'the target of free slots is already reached',
      });
    } else if (forbidden) {
      addSession(summary, archived, outcomeOf(forbidden, options), { name, refusal: forbidden });
    } else if (budget.remaining <= 0) {
      const detail = `the most that one run may delete is ${budget.maxDelete}: the next run goes on`;
      addSession(summary, archived, 'refused', { name, refusal: refusal('max-delete', detail) });
    } else if (await attempt(archived)) {
      gone++;
      budget.remaining--;
    }
  }
  if (options.wanted !== undefined && gone < wanted) {
    summary.short_of_slots.push({ user: options.user, missing: wanted - gone });
  }
  for (const { archived, why } of selection.kept) {
    addSession(summary, archived, 'kept', { name: nameOf(archived), detail: why });
  }
}
