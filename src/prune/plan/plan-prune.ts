/** A plan: what could be deleted, and why not the rest. Changes nothing, here or there. */
import { type ArchiveTask, fromSnapshot } from '../../archive/archive.js';
import { LogFacts } from '../../archive/state/log-facts.js';
import { activityText } from '../../archive/state/session-age.js';
import type { ArchivedSession } from '../../archive/state/archived-session.js';
import { openService } from '../../artifacts/access.js';
import { ulid } from '../../base/ulid.js';
import { sessionKey } from '../../model/ids.js';
import type { ServiceClient } from '../../service/service-client.js';
import { attemptSelected } from '../attempt-selected.js';
import { Intents } from '../intents.js';
import { PlanClock } from './plan-clock.js';
import { checkedRules, type PlanOptions } from '../prune-choices.js';
import type { PruneRules } from '../prune-rules.js';
import {
  addGoneBefore,
  addSession,
  countSessions,
  emptyPruneSummary,
  type PruneSummary,
} from '../prune-summary.js';
import { assertOfThisLog, savedPlan, type SavedPlan } from './saved-plan.js';
import { slotsToFree } from '../selection-rules.js';
import { sessionNames } from './session-names.js';
import { SessionSelector, type SelectorOptions } from '../session-selector.js';

export interface PrunePlan {
  readonly summary: PruneSummary;
  /** To be kept as a file. */
  readonly saved: SavedPlan;
}

interface PlanPruneOptions extends PlanOptions, ArchiveTask {
  readonly veto?: SelectorOptions['veto'];
}

/**
 * What a run would refuse because of this machine's clock is refused here, too.
 *
 * @throws {UsageError} there is no such user or session, the archive is another service's, or the plan has expired
 * @throws {IntegrityError} the log is damaged
 */
export async function planPrune(options: PlanPruneOptions): Promise<PrunePlan> {
  const { archive, signal, access, plan } = options;
  const rules = checkedRules(options);
  if (plan) await assertOfThisLog(plan, archive);
  const baseUrl = archive.identity.service.base_url;
  const run = ulid(archive.clock, archive.random);
  const service = access && openService({ ...archive, ...access, baseUrl, run, signal });
  try {
    const made = await planByService(service, rules, options);
    if (service) {
      const { requests: api, retries, rateLimited } = service.stats;
      made.summary.requests = { api, files: 0, retries, rate_limited: rateLimited };
    }
    return made;
  } finally {
    await service?.close();
  }
}

/** As `planPrune`, of a caller who has a client of the service. */
export async function planByService(
  service: ServiceClient | undefined,
  rules: PruneRules,
  { archive, signal, plan, selects, unknownIds, veto }: Omit<PlanPruneOptions, 'access'>,
): Promise<PrunePlan> {
  const serviceClock = new PlanClock(service, rules, signal);
  return planByRules({ archive, signal, rules, plan, selects, unknownIds, veto, serviceClock });
}

interface RulePlanOptions extends Omit<SelectorOptions, 'facts'> {
  readonly signal: AbortSignal;
  readonly serviceClock: PlanClock;
}

/**
 * Whether the files, the rows and the service bear it out is only found when the plan is carried out: then every commit is
 * read, and here the newest snapshot and those after it.
 */
async function planByRules(given: RulePlanOptions): Promise<PrunePlan> {
  const options = { ...given, archive: fromSnapshot(given.archive) };
  const { archive, rules, signal } = options;
  const { clock, states } = archive;
  const startedAt = clock.monotonic();
  const facts = new LogFacts(archive);
  await archive.index.refresh();
  const selector = new SessionSelector({ ...options, facts });
  const summary = emptyPruneSummary(archive.storage.location, null);
  const budget = { maxDelete: rules.maxDelete, remaining: rules.maxDelete };
  const survey = await selector.survey(signal);
  const { users, inScope, compared } = survey;
  addGoneBefore(summary, survey.goneBefore);
  await selector.compareWithOthers(survey, signal);
  const names = await sessionNames(archive, inScope);
  for (const user of users) {
    signal.throwIfAborted();
    const selection = await selector.select((await facts.sessionsAsKnown(user)).sessions);
    const wanted = slotsToFree(rules, selection.live);
    const nameOf = (archived: ArchivedSession): string | null =>
      names.get(sessionKey(archived.user, archived.session)) ?? null;
    const attempt = async (archived: ArchivedSession): Promise<boolean> => {
      const name = nameOf(archived);
      const refusal =
        (await given.serviceClock.refusalOf(archived)) ??
        (await compared.whyMisread(archived, states));
      const detail = activityText(archived.activity);
      addSession(summary, archived, refusal ? 'refused' : 'planned', { name, refusal, detail });
      return refusal === undefined;
    };
    const isNamed = await selector.isNamed(user);
    const isOfPlan = given.plan !== undefined;
    const going = { user, selection, isNamed, isOfPlan, wanted, budget, summary };
    await attemptSelected({ ...going, nameOf, attempt: selector.goingOnce(attempt) });
  }
  countSessions(summary, selector.spellings);
  const intents = new Intents(archive);
  summary.unfinished = (await intents.list()).length;
  summary.clock_not_compared = given.serviceClock.notCompared;
  summary.duration_ms = Math.round(clock.monotonic() - startedAt);
  const { through } = archive.index;
  const head = through === 0 ? null : await archive.log.read(through);
  const at = head && { number: head.number, digest: head.digest };
  return { summary, saved: savedPlan(archive.identity, rules, summary, clock.now(), at) };
}
