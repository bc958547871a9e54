/** A process of the simulated machine: it can be killed between any two steps, and others can see that it is dead. */
import type { Clock } from '../../src/base/clock.js';
import type { Random } from '../../src/base/random.js';
import type { ProcessIdentity, Processes } from '../../src/base/process-identity.js';
import { seededRandom } from '../support/archive-samples.js';
import type { Scheduler } from './scheduler.js';

export class SimProcess {
  isAlive = true;
  /** Ended by itself or was killed: nobody has its number any more. */
  readonly identity: ProcessIdentity;
  readonly clock: Clock;
  readonly random: Random;
  readonly #scheduler: Scheduler;

  constructor(
    scheduler: Scheduler,
    readonly name: string,
    place: { readonly host: string; readonly pid: number },
  ) {
    this.#scheduler = scheduler;
    this.identity = { host: place.host, boot: 'boot', pid: place.pid, started: String(place.pid) };
    this.clock = scheduler.clockOf(this);
    this.random = seededRandom(scheduler.below(2 ** 31));
  }

  /** Waits for its turn. */
  step(label: string): Promise<void> {
    return this.#scheduler.wait(this, label);
  }

  /** It ends here: nothing that it waits for ever comes. */
  kill(): void {
    this.isAlive = false;
    this.#scheduler.forget(this);
  }
}

/** Who is alive, as the processes of one host see it; of other hosts nobody knows. */
export class ProcessTable {
  readonly #all = new Map<number, SimProcess>();

  add(process: SimProcess): void {
    this.#all.set(process.identity.pid, process);
  }

  get alive(): SimProcess[] {
    return [...this.#all.values()].filter(({ isAlive }) => isAlive);
  }

  /** @param isMistaken whether this process takes somebody for dead who is not */
  seenBy({ identity }: SimProcess, isMistaken = (): boolean => false): Processes {
    return {
      self: identity,
      isDead: ({ host, pid }) =>
        host === identity.host &&
        (this.#all.get(pid)?.isAlive !== true || (pid !== identity.pid && isMistaken())),
    };
  }
}
