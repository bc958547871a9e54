/** What a caller decides of a plan and of a prune, and the rules that follow from it, checked. */
import type { ArchiveTask } from '../archive/archive.js';
import { assertNotPseudonymised } from '../archive/identity.js';
import { assertSameIdentity } from '../archive/open-archive.js';
import type { AccessOptions } from '../artifacts/access.js';
import { UsageError } from '../base/error.js';
import type { RequestBudget } from '../service/pace/request-budget.js';
import { choosesSessions, pruneRules, type PruneRules } from './prune-rules.js';
import type { PruneSummary } from './prune-summary.js';
import { assertUsable, holdsOf, type SavedPlan } from './plan/saved-plan.js';
import type { SelectorOptions } from './session-selector.js';

export interface PlanChoices {
  /** Default: everything that may go is planned. */
  readonly rules?: Partial<PruneRules> | undefined;
  /** Given to be compared with the archive's. */
  readonly baseUrl?: string | undefined;
  readonly project?: string | undefined;
  /** Instead of rules: its own are checked again, with the holds and the limit given here. */
  readonly plan?: SavedPlan | undefined;
  /** Sessions that are in scope. Default: every one that the rules select. */
  readonly selects?: SelectorOptions['selects'];
  /** What happens with named users and sessions that are not in the archive; default `error`. */
  readonly unknownIds?: SelectorOptions['unknownIds'];
}

/** The options of a plan that nobody carries out at once. */
export interface PlanOptions extends PlanChoices {
  /** How the service is asked for its time, once. Default: it is not asked, and the plan says so. */
  readonly access?: AccessOptions | undefined;
}

export interface PruneChoices extends PlanChoices, AccessOptions {
  /** `https://host[:port][/prefix]`: the one that the archive is bound to. */
  readonly baseUrl: string;
  /** A sentence why a session may not go; undefined where nothing is against it. */
  readonly veto?: SelectorOptions['veto'];
  /**
   * Asked with what would go, before anything is deleted, unless that is nothing. Only what it has been
   * shown goes. Default: nobody is asked.
   */
  readonly confirm?: ((plan: PruneSummary) => Promise<boolean>) | undefined;
  /** The yes came before the plan: then what the rules select may go, also where it has changed since. Default false. */
  readonly isAgreedBeforehand?: boolean | undefined;
  /** Asked for at first; the service may grant fewer. Default 100. */
  readonly pageSize?: number | undefined;
  /** End rather than wait where another run is at work on a user. Default false. */
  readonly noWait?: boolean | undefined;
  /** What an export that has just ended has left of its budget: that is all that may be used. Default: no limit. */
  readonly budget?: RequestBudget | undefined;
  /** A ULID of the caller's own, for its log. Default: a new one. */
  readonly runId?: string | undefined;
}

/** @throws {UsageError} the archive is another service's, the plan has expired, or rules are given beside it */
export function checkedRules(choices: PlanChoices & ArchiveTask): PruneRules {
  assertBound(choices);
  const { archive, plan } = choices;
  if (plan) assertUsable(plan, archive.identity, archive.clock.now());
  return rulesOf(choices);
}

/** A plan brings its own; holds and the limit are added to them. @throws {UsageError} */
function rulesOf({ plan, rules: said = {} }: PlanChoices): PruneRules {
  const rules = pruneRules(said);
  if (!plan) return rules;
  if (choosesSessions(rules) || rules.users.length > 0) {
    throw new UsageError(
      'a plan brings its own rules; beside it only --hold-file and --max-delete are allowed',
    );
  }
  const { users, sessions, older_than_ms: olderThanMs, keep, free_slots: freeSlots } = plan.rules;
  return {
    ...rules,
    users,
    sessions,
    holds: rules.holds.with(holdsOf(plan)),
    olderThanMs: olderThanMs ?? undefined,
    keep: keep ?? undefined,
    freeSlots: freeSlots ?? undefined,
  };
}

/** @throws {UsageError} the archive is that of another service or project, or a pseudonymised copy */
function assertBound({ archive, baseUrl, project }: PlanChoices & ArchiveTask): void {
  assertNotPseudonymised(archive.storage.location, archive.identity);
  if (baseUrl === undefined) return;
  const { storage, identity } = archive;
  assertSameIdentity(storage.location, identity, {
    baseUrl,
    project: project ?? null,
    formats: undefined,
  });
}
