/** Plays a seed to its end and says what came of it. */
import './sync-zlib.js';
import { Holds } from '../../src/archive/holds.js';
import { failureOf } from '../../src/export/gap.js';
import { archivedSessions } from './archived-sessions.js';
import { ArchiveView } from './archive-view.js';
import type { Theme } from './conditions.js';
import { expectAllProven } from './finale.js';
import {
  simulatedCompaction,
  simulatedCopy,
  simulatedErasure,
  simulatedExport,
  simulatedPrune,
  simulatedVerify,
} from './runs.js';
import type { Invariants } from './invariants.js';
import { Simulation, type SimulationOptions } from './simulation.js';
import type { SimProcess } from './sim-process.js';
import { Violation } from './violation.js';

export interface SimulationResult {
  readonly seed: number;
  /** Undefined where everything held. */
  readonly violation: Violation | undefined;
  readonly steps: number;
  /** Tells whether two runs went the same way. */
  readonly trace: number;
  /** Runs by kind that came to their end. */
  readonly ended: Readonly<Record<string, number>>;
  readonly checked: Invariants['checked'];
  readonly virtualMs: number;
}

/** While everything is disturbed. */
const STEPS = 900;
/** Steps of the proof at the end. */
const MOST_STEPS = 30_000;
const ACTORS = 3;

const KINDS: Readonly<Record<Theme, readonly string[]>> = {
  mixed: [
    ...['export', 'export', 'export', 'full export', 'prune', 'prune', 'compact', 'erase'],
    ...['copy', 'verify'],
  ],
  deleting: ['export', 'export', 'full export', 'prune', 'prune', 'prune', 'verify'],
  rewriting: [
    ...['export', 'export', 'full export', 'compact', 'compact', 'erase', 'erase', 'prune'],
    ...['copy', 'verify'],
  ],
};

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const simulation = new Simulation(options);
  const play = new Play(simulation);
  let violation: Violation | undefined;
  try {
    await play.run();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error;
  }
  const { scheduler, invariants } = simulation;
  return {
    ...{ seed: options.seed, violation, steps: scheduler.steps, trace: scheduler.trace },
    ...{ ended: play.ended, checked: invariants.checked, virtualMs: scheduler.monotonicMs },
  };
}

type Run = (process: SimProcess) => Promise<unknown>;

class Play {
  readonly ended: Record<string, number> = {};
  #failure: unknown;
  readonly #steps: number;

  constructor(readonly simulation: Simulation) {
    this.#steps = simulation.options.steps ?? STEPS;
  }

  async run(): Promise<void> {
    const { scheduler, simulation } = this;
    const slots = Array.from({ length: ACTORS }, () => ({
      busy: undefined as SimProcess | undefined,
    }));
    if (simulation.conditions.hasArchive) await this.#alone('export', this.#runOf('export'));
    const end = scheduler.steps + this.#steps;
    await scheduler.run(
      () => this.#isBroken() || scheduler.steps >= end,
      this.#steps + 1,
      () => {
        this.#disturb();
        for (const slot of slots) {
          if (slot.busy?.isAlive) continue;
          slot.busy = this.#start();
        }
      },
    );
    this.#throwFailure();
    for (const process of simulation.processes.alive) process.kill();
    await expectAllProven(simulation, (kind, run) => this.#alone(kind, run));
  }

  get scheduler() {
    return this.simulation.scheduler;
  }

  /** Whatever goes on around the runs. */
  #disturb(): void {
    const { scheduler, simulation } = this;
    const { peopleRate, powerRate, killRate } = simulation.conditions;
    if (scheduler.chance(peopleRate)) simulation.people.act();
    if (simulation.disk && scheduler.chance(powerRate)) simulation.losePower();
    if (!scheduler.chance(killRate)) return;
    const { alive } = simulation.processes;
    if (alive.length > 0) scheduler.anyOf(alive).kill();
  }

  #start(): SimProcess {
    const { scheduler, simulation } = this;
    const kind = scheduler.anyOf(KINDS[simulation.conditions.theme]);
    const host = scheduler.chance(0.15) ? 'two' : 'one';
    const process = simulation.spawn(kind, host);
    const waitMs = scheduler.anyOf([0, 1000, 60_000, 1_200_000]) * scheduler.random.fraction();
    this.#begin(process, kind, async () => {
      await process.clock.sleep(waitMs);
      await this.#runOf(kind)(process);
    });
    return process;
  }

  #begin(process: SimProcess, kind: string, work: () => Promise<void>): void {
    work().then(
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

  #runOf(kind: string): Run {
    const { simulation, scheduler } = this;
    const { invariants, service } = simulation;
    const graceMs = scheduler.anyOf([0, 0, 60_000]);
    switch (kind) {
      case 'export':
      case 'full export':
        return async (process) => {
          const startedAt = service.time;
          const full = kind === 'full export';
          const around = simulation.around(process);
          const { summary, error } = await simulatedExport(around, { users: service.users, full });
          if (error !== undefined) throw error as Error;
          if (summary.status === 'complete') invariants.exportEnded(startedAt, full);
        };
      case 'prune':
        return async (process) => {
          const holds = Holds.of(simulation.holds);
          const rules = {
            all: true,
            holds,
            allowUnknownHolds: true,
            maxDelete: scheduler.anyOf([1, 3, 100]),
          };
          const { error } = await simulatedPrune(simulation.around(process), rules);
          if (error !== undefined) throw error as Error;
        };
      case 'compact':
        return (process) => simulatedCompaction(simulation.around(process), graceMs);
      case 'erase':
        return (process) => this.#erase(process, graceMs);
      case 'copy':
        return (process) =>
          simulatedCopy(
            simulation.around(process),
            simulation.copy.open(process, () => undefined),
          );
      default:
        return (process) => simulatedVerify(simulation.around(process));
    }
  }

  async #erase(process: SimProcess, graceMs: number): Promise<void> {
    const { simulation, scheduler } = this;
    const { invariants, service } = simulation;
    const { sessions } = archivedSessions(new ArchiveView(simulation.place));
    const archived = service.everySession.filter(({ id }) => sessions.has(id));
    const candidates = archived.filter(({ gone }) => gone !== undefined || scheduler.chance(0.4));
    if (candidates.length === 0) return;
    const { id } = scheduler.anyOf(candidates);
    const isHeld = simulation.holds.has(id);
    if (!isHeld && !invariants.erased.has(id)) invariants.erased.set(id, undefined);
    const begun = service.time;
    const { status } = await simulatedErasure(simulation.around(process), {
      ...{ sessions: [id], graceMs, holds: Holds.of(simulation.holds) },
    });
    if (status === 'erased' && isHeld) throw new Violation('held', `${id} was erased`);
    if (status === 'erased') invariants.eraseEnded(id, begun, graceMs);
  }

  async #alone(kind: string, run: Run): Promise<void> {
    const { simulation, scheduler } = this;
    const process = simulation.spawn(kind);
    this.#begin(process, kind, async () => {
      await run(process);
    });
    await scheduler.run(
      () => this.#isBroken() || !process.isAlive,
      MOST_STEPS,
      () => undefined,
    );
    this.#throwFailure();
  }

  #isBroken(): boolean {
    return this.#failure !== undefined || this.simulation.invariants.violations.length > 0;
  }

  #throwFailure(): void {
    this.simulation.throwViolation();
    if (this.#failure === undefined || this.#failure instanceof Violation) {
      if (this.#failure !== undefined) throw this.#failure;
      return;
    }
    const error = this.#failure as Error;
    const violation = new Violation('error', `${failureOf(error)}: ${error.message}`);
    violation.cause = error;
    throw violation;
  }

  /** A run may give way, fail where the service or the storage does, or find no archive yet. */
  #isForgiven(error: unknown): boolean {
    return this.simulation.forgiven.includes(failureOf(error));
  }
}
