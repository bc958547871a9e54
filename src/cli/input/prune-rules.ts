/** Turns settings into the rules of a deletion. */
import type { pruneRuleSettings } from '../../config/rewrite-settings.js';
import type { ValuesOf } from '../../config/resolve-settings.js';
import type { PruneRules } from '../../prune/prune-rules.js';
import { readHolds } from './hold-file.js';
import { UsageError } from '../../base/error.js';
import type { PruneSummary } from '../../prune/prune-summary.js';
import type { Ask } from './confirm.js';
import { sessionsAndJobs } from '../output/aligned.js';
import { plain } from '../output/terminal.js';
import { pruneReport } from '../output/reports/prune-report.js';

/** @throws {UsageError} a hold file cannot be read, or a kind of file is not one */
export async function pruneRulesOf(
  given: ValuesOf<typeof pruneRuleSettings>,
): Promise<Partial<PruneRules>> {
  return {
    all: given.all,
    olderThanMs: given.olderThanMs,
    keep: given.keep,
    freeSlots: given.freeSlots,
    maxDelete: given.maxDelete,
    acceptSuspicious: given.acceptSuspicious,
    trustThisClock: given.trustThisClock,
    allowUnknownHolds: given.allowUnknownHolds,
    holds: await readHolds(given),
    acceptUnfetched: acceptedKinds(given.acceptUnfetched),
  };
}

/** Parses `--accept-unfetched`: kinds of files as in `artifacts.kind`, repeated or separated by commas. */

const KIND = /^[A-Z][A-Z0-9_-]{0,63}$/;

/** @throws {UsageError} a word is not a kind */
export function acceptedKinds(given: readonly string[] | undefined): ReadonlySet<string> {
  const kinds = (given ?? []).flatMap((one) => one.split(',')).map((one) => one.trim());
  for (const kind of kinds) {
    if (KIND.test(kind.toUpperCase())) continue;
    const allowed = 'allowed is a kind of file, such as MARKDOWN_IMAGE or CHART_INFO';
    throw new UsageError(`--accept-unfetched: ${JSON.stringify(kind)} is not a kind; ${allowed}`);
  }
  return new Set(kinds.map((kind) => kind.toUpperCase()));
}

/** Shows the plan of a deletion and asks whether to carry it out. */

export function askBeforePrune(ask: Ask): (plan: PruneSummary) => Promise<boolean> {
  return (plan) => {
    const planned = plan.sessions.filter(({ outcome }) => outcome === 'planned');
    const what = sessionsAndJobs(planned, ' with ');
    return ask(
      (isAgreed) => pruneReport(plan, plain, isAgreed ? 'agreed' : 'question'),
      `Delete ${what} from the service permanently?`,
    );
  };
}
