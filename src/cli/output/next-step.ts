/** What somebody can do whose command has failed; the sentence before says what went wrong. */
import { codeOf, failureOf, type FailureKind } from '../../base/error.js';

const NEXT_STEPS: Readonly<Partial<Record<FailureKind, string>>> = {
  integrity: 'jobvault verify ARCHIVE names everything that is damaged.',
  unreachable:
    'jobvault doctor tells what cannot be reached. The same command goes on where this one ended.',
  authentication:
    'check JOBVAULT_API_KEY or --api-key-file; jobvault doctor tries the key with one request.',
  refused:
    'jobvault hold list ARCHIVE names the holds; jobvault hold release ARCHIVE releases one.',
  locked:
    'run the same command again when the other run has ended; jobvault status ARCHIVE shows the last runs.',
  storage: 'make room or give the permission that is missing, and run the same command again.',
};

/** Sessions that a deletion or an expiry did not take. */
export const AFTER_REFUSAL =
  'the reason stands beside each session; jobvault export archives what is new or not settled yet, then run the same command again.';

/** After an export, or a run of the fleet, that ended with gaps. */
export const AFTER_GAPS =
  'jobvault export --retry-gaps, with the same settings, tries again only what is missing; so does the next export, beside the rest.';

const NOT_FOUND =
  'jobvault sessions list and jobvault datasets list, with the same --user, name what there is.';

const UNKNOWN_NAME =
  'jobvault query ARCHIVE "SHOW TABLES" lists the tables and views, "DESCRIBE current_jobs" the columns of one.';

/** Undefined of a mistaken command line, whose sentence says what is allowed, and of a bug. */
export function nextStep(error: unknown): string | undefined {
  if (codeOf(error) === 'SERVICE_NOT_FOUND') return NOT_FOUND;
  if (codeOf(error) === 'QUERY_UNKNOWN_NAME') return UNKNOWN_NAME;
  return NEXT_STEPS[failureOf(error)];
}

/** A line for people. */
export function afterGaps(gaps: number): string {
  return gaps > 0 ? `Next: ${AFTER_GAPS}\n` : '';
}
