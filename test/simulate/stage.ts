/** Runs processes, one alone or several at a time; their errors are either expected or a violation. */
import { failureOf } from '../../src/base/error.js';
import type { Run } from './kinds.js';
import type { Simulation } from './simulation.js';
import type { SimProcess } from './sim-process.js';
import { Violation } from './violation.js';

/** For a process that runs alone. */
const MOST_STEPS = 30_000;

export class Stage {
  /** Runs that ended, by kind. */
  readonly ended: Record<string, number> = {};
  #failure: unknown;

  constructor(readonly simulation: Simulation) {}

  begin(process: SimProcess, kind: string, work: Run): void {
    work(process).then(
      () => {
        this.ended[kind] = (this.ended[kind] ?? 0) + 1;
        process.kill();
      },
      (error: unknown) => {
        process.kill();
        if (!this.#isForgiven(error)) this.#failure ??= error;
      },
    );
  }

  /** @throws {Violation} */
  async alone(kind: string, run: Run): Promise<void> {
    const { simulation } = this;
    const process = simulation.spawn(kind);
    this.begin(process, kind, run);
    const isDone = (): boolean => this.isBroken || !process.isAlive;
    await simulation.scheduler.run(isDone, MOST_STEPS, () => undefined);
    this.throwFailure();
  }

  get isBroken(): boolean {
    return this.#failure !== undefined || this.simulation.invariants.violations.length > 0;
  }

  /** @throws {Violation} if there was one */
  throwFailure(): void {
    this.simulation.throwViolation();
    if (this.#failure === undefined) return;
    if (this.#failure instanceof Violation) throw this.#failure;
    const error = this.#failure as Error;
    const violation = new Violation('error', `${failureOf(error)}: ${error.message}`);
    violation.cause = error;
    throw violation;
  }

  /** A run may yield to another, fail with the service or the storage, or find no archive yet. */
  #isForgiven(error: unknown): boolean {
    return this.simulation.forgiven.includes(failureOf(error));
  }
}
