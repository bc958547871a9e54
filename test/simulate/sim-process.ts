/** A process of the simulated machine: it can be killed between any two steps, and others can detect its death. */
import type { Clock, Random } from '../../src/base/runtime.js';
import type { ProcessIdentity, Processes } from '../../src/base/process-identity.js';
import { seededRandom } from '../support/store/archive-samples.js';
import type { Scheduler } from './scheduler.js';

export class SimProcess {
  isAlive = true;
  /** Ended or killed: its process id is free. */
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

  /** Ends the process: none of its pending steps ever happens. */
  kill(): void {
    this.isAlive = false;
    this.#scheduler.forget(this);
  }
}

/** Which processes of one host are alive; of other hosts it is unknown. */
export class ProcessTable {
  readonly #all = new Map<number, SimProcess>();

  add(process: SimProcess): void {
    this.#all.set(process.identity.pid, process);
  }

  get alive(): SimProcess[] {
    return [...this.#all.values()].filter(({ isAlive }) => isAlive);
  }

  /** @param isMistaken whether this process takes a living one for dead */
  seenBy({ identity }: SimProcess, isMistaken = (): boolean => false): Processes {
    return {
      self: identity,
      isDead: ({ host, pid }) =>
        host === identity.host &&
        (this.#all.get(pid)?.isAlive !== true || (pid !== identity.pid && isMistaken())),
    };
  }
}
