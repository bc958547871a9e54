/** Says for a plan whether this machine's clock would be refused: asks the service for its time, once, with a short list. */
import type { ArchivedSession } from '../../archive/state/archived-session.js';
import { messageOf } from '../../base/error.js';
import { asUserId, type UserId } from '../../model/ids.js';
import type { ServiceClient } from '../../service/service-client.js';
import { clockRefusal } from '../clock-refusal.js';
import type { PruneRules } from '../prune-rules.js';
import type { PruneRefusal } from '../refusal.js';

/** One retry: a plan deletes nothing, so it need not wait for a service that is away. */
const ATTEMPTS = 2;

export class PlanClock {
  /** Why the clocks were not compared, where a session may go but for that. */
  notCompared: string | null = null;
  #asked: Promise<void> | undefined;

  /** @param service undefined where nothing is known by which it may be asked */
  constructor(
    readonly service: ServiceClient | undefined,
    readonly rules: PruneRules,
    readonly signal: AbortSignal,
  ) {}

  async refusalOf({ user, state }: ArchivedSession): Promise<PruneRefusal | undefined> {
    const { service, rules } = this;
    if (!service) {
      this.notCompared = 'there is no API key to ask it with';
      return undefined;
    }
    await (this.#asked ??= this.#ask(service, asUserId(user)));
    if (this.notCompared !== null) return undefined;
    return clockRefusal(service.clockGapMs, rules, { isEmpty: state.jobs.size === 0 });
  }

  async #ask(service: ServiceClient, userId: UserId): Promise<void> {
    const { signal } = this;
    try {
      await service.listSessions({ userId, pageSize: 1, signal, maxAttempts: ATTEMPTS });
    } catch (error) {
      signal.throwIfAborted();
      // an answer that refuses has a Date, too
      if (service.clockGapMs === null) this.notCompared = messageOf(error);
    }
  }
}
