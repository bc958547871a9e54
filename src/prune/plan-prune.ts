/** A plan: what could be deleted and why not the rest, from the archive alone. Asks the service nothing. */
import type { Archive } from '../archive/archive.js';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../base/logger.js';
import { Chooser } from './chooser.js';
import { Intents } from './intents.js';
import { LogFacts } from './log-facts.js';
import type { PruneRules } from './prune-rules.js';
import { addSession, emptyPruneSummary, type PruneSummary } from './prune-summary.js';
import { savedPlan, type SavedPlan } from './saved-plan.js';
import { slotsToFree } from './select-sessions.js';
import { walkSelection } from './walk-selection.js';
import type { Random } from '../base/random.js';

export interface PlanPruneOptions {
  readonly archive: Archive;
  readonly rules: PruneRules;
  readonly clock: Clock;
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
  const { archive, rules, clock, random, logger, signal } = options;
  const startedAt = clock.monotonic();
  const facts = new LogFacts(archive);
  await facts.refresh();
  const chooser = new Chooser({ archive, facts, rules, clock, logger });
  const summary = emptyPruneSummary(archive.storage.location, null);
  const budget = { maxDelete: rules.maxDelete, left: rules.maxDelete };
  const { users } = await chooser.survey(signal);
  for (const user of users) {
    signal.throwIfAborted();
    const selection = chooser.select((await facts.sessionsOf(user)).sessions);
    const wanted = slotsToFree(rules, selection.live);
    const attempt = (archived: Parameters<typeof addSession>[1]): Promise<boolean> => {
      addSession(summary, archived, 'planned');
      return Promise.resolve(true);
    };
    await walkSelection({ selection, wanted, budget, summary, attempt });
  }
  const intents = new Intents({ storage: archive.storage, clock, random });
  summary.unfinished = (await intents.list()).length;
  summary.duration_ms = Math.round(clock.monotonic() - startedAt);
  return { summary, saved: savedPlan(archive.identity, rules, summary, clock.now()) };
}
