/** A plan: what could be deleted and why not the rest, from the archive alone. Asks the service nothing. */
import { sessionKey } from '../model/ids.js';
import type { ArchivedSession } from '../archive/state/user-state.js';
import { SessionSelector, type SelectorOptions, walkSelection } from './session-selector.js';
import { Intents } from './deletion-log.js';
import { LogFacts } from '../archive/state/log-facts.js';
import { addSession, emptyPruneSummary, type PruneSummary } from './prune-summary.js';
import { savedPlan, type SavedPlan } from './saved-plan.js';
import { activityText, slotsToFree } from './select-sessions.js';
import { forReading, type Archive } from '../archive/archive.js';
import { rowsOfTable } from '../archive/reading/selected-rows.js';
import { JobvaultError, messageOf } from '../base/error.js';
import { sessionsTable } from '../model/tables.js';

export interface PlanPruneOptions extends Omit<SelectorOptions, 'facts'> {
  readonly signal: AbortSignal;
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
    const attempt = (archived: ArchivedSession): Promise<boolean> => {
      const detail = activityText(archived.activity);
      addSession(summary, archived, 'planned', { name: nameOf(archived), detail });
      return Promise.resolve(true);
    };
    await walkSelection({ selection, wanted, budget, summary, nameOf, attempt });
  }
  const intents = new Intents(archive);
  summary.unfinished = (await intents.list()).length;
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
