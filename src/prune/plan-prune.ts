/** A plan: what could be deleted and why not the rest, from the archive alone. Asks the service nothing. */
import type { Logger } from '../base/logger.js';
import type { RowFormat } from '../formats/format.js';
import { sessionKey } from '../model/ids.js';
import type { ArchivedSession } from '../archive/state/archived-session.js';
import { SessionSelector, type ChooserOptions } from './session-selector.js';
import { Intents } from './intents.js';
import { LogFacts } from '../archive/state/log-facts.js';
import { addSession, emptyPruneSummary, type PruneSummary } from './prune-summary.js';
import { savedPlan, type SavedPlan } from './saved-plan.js';
import { activityText, slotsToFree } from './select-sessions.js';
import { sessionNames } from './session-names.js';
import { walkSelection } from './walk-selection.js';
import type { Random } from '../base/random.js';

export interface PlanPruneOptions extends Omit<ChooserOptions, 'facts'> {
  /** All that jobvault knows; the archive's own are read. */
  readonly formats: readonly RowFormat[];
  readonly random: Random;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

export interface PrunePlan {
  readonly summary: PruneSummary;
  /** To be kept as a file. */
  readonly saved: SavedPlan;
}

/**
 * Whether the files, the rows and the service bear it out is only found when the plan is carried out.
 *
 * @throws {UsageError} a user or session is named that the archive does not hold
 * @throws {IntegrityError} the log is damaged
 */
export async function planPrune(options: PlanPruneOptions): Promise<PrunePlan> {
  const { archive, rules, clock, random, logger, signal, formats } = options;
  const startedAt = clock.monotonic();
  const facts = new LogFacts(archive);
  await archive.index.refresh();
  const chooser = new SessionSelector({ ...options, facts });
  const summary = emptyPruneSummary(archive.storage.location, null);
  const budget = { maxDelete: rules.maxDelete, left: rules.maxDelete };
  const { users, meant } = await chooser.survey(signal);
  const names = await sessionNames({ archive, formats, wanted: meant, logger });
  for (const user of users) {
    signal.throwIfAborted();
    const selection = await chooser.select((await facts.sessionsOf(user)).sessions);
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
  const intents = new Intents({ storage: archive.storage, clock, random });
  summary.unfinished = (await intents.list()).length;
  summary.duration_ms = Math.round(clock.monotonic() - startedAt);
  return { summary, saved: savedPlan(archive.identity, rules, summary, clock.now()) };
}
