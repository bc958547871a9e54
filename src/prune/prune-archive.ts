/** What prunes an archive that is open: opens its service, shows what would go, deletes, and closes the service. */
import { type ArchiveTask, forReading, type Archive } from '../archive/archive.js';
import { assertNotPseudonymised } from '../archive/identity.js';
import { assertSameIdentity } from '../archive/open-archive.js';
import { openAccess, openService, type AccessOptions } from '../artifacts/access.js';
import { withFields } from '../base/logger.js';
import { ulid } from '../base/digest.js';
import { UsageError, JobvaultError, messageOf } from '../base/error.js';
import { asRunId, type RunId, sessionKey } from '../model/ids.js';
import { type SelectorOptions, SessionSelector, walkSelection } from './session-selector.js';
import type { RequestBudget } from '../service/pace/request-budget.js';
import { PlanClock } from './plan-clock.js';
import { choosesSessions, pruneRules, type PruneRules } from './prune-rules.js';
import { type PruneSummary, addSession, emptyPruneSummary } from './prune-summary.js';
import { runPrune, type PruneResult } from './run-prune.js';
import { assertUsable, holdsOf, type SavedPlan, savedPlan } from './saved-plan.js';
import type { ArchivedSession } from '../archive/state/user-state.js';
import { Intents } from './intents.js';
import { LogFacts } from '../archive/state/log-facts.js';
import { activityText, slotsToFree } from './select-sessions.js';
import { rowsOfTable } from '../archive/reading/selected-rows.js';
import { sessionsTable } from '../model/tables.js';

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

/** Of a plan that nobody carries out at once. */
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
  /** Of an export that has just ended: what it has left is all that may be used. Default: no limit. */
  readonly budget?: RequestBudget | undefined;
  /** A ULID of the caller's own, for its log. Default: a new one. */
  readonly runId?: string | undefined;
}

const DEFAULT_PAGE_SIZE = 100;

/**
 * What could be deleted, and why not the rest: what a run would refuse because of this machine's clock is refused here,
 * too. Changes nothing, here or there.
 *
 * @throws {UsageError} there is no such user or session, the archive is another service's, or the plan has expired
 * @throws {IntegrityError} the log is damaged
 */
export async function planArchivePrune(options: PlanOptions & ArchiveTask): Promise<PrunePlan> {
  const { archive, signal, plan, selects, unknownIds, access } = options;
  assertBound(options);
  assertPlanUsable(options);
  const rules = rulesOf(options);
  const baseUrl = archive.identity.service.base_url;
  const run = ulid(archive.clock, archive.random);
  const service = access && openService({ ...archive, ...access, baseUrl, run, signal });
  try {
    const clock = new PlanClock(service, rules, signal);
    return await planPrune({ archive, signal, rules, plan, selects, unknownIds, clock });
  } finally {
    await service?.close();
  }
}

/**
 * Deletes from the service what the rules select and the archive provably holds.
 *
 * @throws {UsageError} as `planArchivePrune`; no rule chooses, or the plan has expired
 */
export async function pruneArchive(options: PruneChoices & ArchiveTask): Promise<PruneResult> {
  const { clock, random, logger, tracer } = options.archive;
  const run = asRunId(options.runId ?? ulid(clock, random));
  const archive = { ...options.archive, logger: withFields(logger, { run }) };
  return tracer.span('run', { command: 'prune', run }, () => pruneAs(run, { ...options, archive }));
}

async function pruneAs(run: RunId, options: PruneChoices & ArchiveTask): Promise<PruneResult> {
  const { archive, signal, plan, confirm, veto, selects, unknownIds } = options;
  const chosen = { archive, signal, rules: rulesOf(options), plan, veto, selects, unknownIds };
  if (!plan && !choosesSessions(chosen.rules)) throw new UsageError(NO_RULE);
  assertBound(options);
  assertPlanUsable(options);
  const asked = confirm && (await planPrune(chosen));
  if (asked && asked.summary.planned > 0 && !(await confirm(asked.summary))) {
    const summary: PruneSummary = { ...asked.summary, run, status: 'declined' };
    return { summary, error: undefined, failures: new Set() };
  }
  // a DELETE that was sent is followed to its end: no signal
  const { budget } = options;
  const access = openAccess({ ...options, ...archive, run, pace: budget, signal: undefined });
  try {
    return await runPrune({
      run,
      service: access.service,
      fetcher: access.fetcher,
      budget,
      ...chosen,
      agreed: options.isAgreedBeforehand ? undefined : asked?.saved,
      leases: { noWait: options.noWait ?? false },
      pageSize: options.pageSize ?? DEFAULT_PAGE_SIZE,
    });
  } finally {
    await access.close();
  }
}

const NO_RULE =
  'nothing says which sessions are to be deleted; give a rule (--older-than, --keep, --free-slots, --session) or --all';

/** @throws {UsageError} */
function assertPlanUsable({ archive, plan }: PlanChoices & ArchiveTask): void {
  if (plan) assertUsable(plan, archive.identity, archive.clock.now());
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

/** A plan: what could be deleted and why not the rest, from the archive alone. */
interface PlanPruneOptions extends Omit<SelectorOptions, 'facts'> {
  readonly signal: AbortSignal;
  /** Default: not compared, as where a run is about to do it. */
  readonly clock?: PlanClock | undefined;
}

export interface PrunePlan {
  readonly summary: PruneSummary;
  /** To be kept as a file. */
  readonly saved: SavedPlan;
}

/**
 * Whether the files, the rows and the service bear it out is only found when the plan is carried out: then every commit is
 * read, and here the newest snapshot and those after it.
 *
 * @throws {UsageError} a user or session is named that the archive does not hold
 * @throws {IntegrityError} the log is damaged
 */
export async function planPrune(given: PlanPruneOptions): Promise<PrunePlan> {
  const options = { ...given, archive: forReading(given.archive) };
  const { archive, rules, signal } = options;
  const { clock } = archive;
  const startedAt = clock.monotonic();
  const facts = new LogFacts(archive);
  await archive.index.refresh();
  const selector = new SessionSelector({ ...options, facts });
  const summary = emptyPruneSummary(archive.storage.location, null);
  const budget = { maxDelete: rules.maxDelete, left: rules.maxDelete };
  const { users, inScope } = await selector.survey(signal);
  const names = await sessionNames(archive, inScope);
  for (const user of users) {
    signal.throwIfAborted();
    const selection = await selector.select((await facts.sessionsAsKnown(user)).sessions);
    const wanted = slotsToFree(rules, selection.live);
    const nameOf = (archived: ArchivedSession): string | null =>
      names.get(sessionKey(archived.user, archived.session)) ?? null;
    const attempt = async (archived: ArchivedSession): Promise<boolean> => {
      const name = nameOf(archived);
      const refusal = await given.clock?.refusalOf(archived);
      const detail = activityText(archived.activity);
      addSession(summary, archived, refusal ? 'refused' : 'planned', { name, refusal, detail });
      return refusal === undefined;
    };
    const { isNamed } = selector;
    await walkSelection({ user, selection, isNamed, wanted, budget, summary, nameOf, attempt });
  }
  const intents = new Intents(archive);
  summary.unfinished = (await intents.list()).length;
  summary.clock_not_compared = given.clock?.notCompared ?? null;
  summary.duration_ms = Math.round(clock.monotonic() - startedAt);
  return { summary, saved: savedPlan(archive.identity, rules, summary, clock.now()) };
}

/**
 * The newest archived name of each session, by `sessionKey`: a plan shows it, so that somebody can approve it. What
 * cannot be read has none: a plan deletes nothing.
 *
 * @param wanted sessions that are asked for, by `sessionKey`
 */
export async function sessionNames(
  archive: Archive,
  wanted: ReadonlySet<string>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const versions = new Map<string, number>();
  if (wanted.size === 0) return names;
  try {
    for await (const row of rowsOfTable({ archive }, sessionsTable)) {
      const key = sessionKey(String(row['user_id']), String(row['session_id']));
      const [name, version] = [row['name'], Number(row['session_version'])];
      if (!wanted.has(key) || version <= (versions.get(key) ?? 0)) continue;
      versions.set(key, version);
      if (typeof name === 'string') names.set(key, name);
    }
  } catch (error) {
    if (!(error instanceof JobvaultError)) throw error;
    archive.logger.warn({ reason: messageOf(error) }, 'the names of sessions could not be read');
  }
  return names;
}
