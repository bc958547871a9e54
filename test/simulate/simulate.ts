/** Runs a seed to its end and returns the result. */
import './sync-zlib.js';
import type { Theme } from './conditions.js';
import { expectAllProven } from './finale.js';
import type { Invariants } from './invariants.js';
import { Simulation, type SimulationOptions } from './simulation.js';
import type { SimProcess } from './sim-process.js';
import { runOf, type Kind } from './kinds.js';
import { Stage } from './stage.js';
import { Violation } from './violation.js';

export interface SimulationResult {
  readonly seed: number;
  /** Undefined if all invariants held. */
  readonly violation: Violation | undefined;
  readonly steps: number;
  /** Equal for runs with the same steps. */
  readonly trace: number;
  /** Runs that ended, by kind. */
  readonly ended: Readonly<Record<string, number>>;
  readonly checked: Invariants['checked'];
  readonly virtualMs: number;
}

/** During the disturbances. */
const STEPS = 900;
const ACTORS = 3;

/** Relative frequency of each kind. */
const KINDS: Readonly<Record<Theme, Readonly<Partial<Record<Kind, number>>>>> = {
  mixed: { export: 3, 'full export': 1, prune: 2, compact: 1, erase: 1, copy: 1, verify: 1 },
  deleting: { export: 2, 'full export': 1, prune: 3, verify: 1 },
  rewriting: {
    ...{ export: 2, 'full export': 1, compact: 2, erase: 2, prune: 1, copy: 1, verify: 1 },
    drill: 1,
  },
  // these are drawn by no seed: only with --theme, or by a fault
  sweeping: { export: 4, erase: 3, compact: 2, verify: 1 },
  holding: { export: 2, hold: 3, release: 1, expire: 4, erase: 1, prune: 1, compact: 1, verify: 1 },
};
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const simulation = new Simulation(options);
  const play = new Play(simulation);
  const rearm = simulation.sabotage.disarm?.();
  let violation: Violation | undefined;
  try {
    await play.run();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error;
  } finally {
    rearm?.();
  }
  const { scheduler, invariants } = simulation;
  return {
    seed: options.seed,
    violation,
    steps: scheduler.steps,
    trace: scheduler.trace,
    ended: play.stage.ended,
    checked: invariants.checked,
    virtualMs: scheduler.monotonicMs,
  };
}

class Play {
  readonly stage: Stage;
  readonly #steps: number;

  constructor(readonly simulation: Simulation) {
    this.stage = new Stage(simulation);
    this.#steps = simulation.options.steps ?? STEPS;
  }

  async run(): Promise<void> {
    const { scheduler, simulation } = this;
    const slots = Array.from({ length: ACTORS }, () => ({
      busy: undefined as SimProcess | undefined,
    }));
    if (simulation.conditions.hasArchive)
      await this.stage.alone('export', runOf(simulation, 'export'));
    const end = scheduler.steps + this.#steps;
    await scheduler.run(
      () => this.stage.isBroken || scheduler.steps >= end,
      this.#steps + 1,
      () => {
        this.#disturb();
        for (const slot of slots) {
          if (slot.busy?.isAlive) continue;
          slot.busy = this.#start();
        }
      },
    );
    this.stage.throwFailure();
    for (const process of simulation.processes.alive) process.kill();
    await expectAllProven(simulation, (kind, run) => this.stage.alone(kind, run));
  }

  get scheduler() {
    return this.simulation.scheduler;
  }

  /** Events around the runs. */
  #disturb(): void {
    const { scheduler, simulation } = this;
    const { peopleRate, powerRate, killRate, misreadRate } = simulation.conditions;
    if (misreadRate > 0 && scheduler.chance(misreadRate)) simulation.misread();
    if (scheduler.chance(peopleRate)) simulation.people.act();
    if (simulation.disk && scheduler.chance(powerRate)) simulation.losePower();
    if (!scheduler.chance(killRate)) return;
    const { alive } = simulation.processes;
    if (alive.length > 0) scheduler.anyOf(alive).kill();
  }

  #start(): SimProcess {
    const { scheduler, simulation } = this;
    const kind = scheduler.anyOf(drawnFrom(simulation.conditions.theme));
    const host = scheduler.chance(0.15) ? 'two' : 'one';
    const process = simulation.spawn(kind, host);
    const waitMs = scheduler.anyOf([0, 1000, 60_000, 1_200_000]) * scheduler.random.fraction();
    this.stage.begin(process, kind, async () => {
      await process.clock.sleep(waitMs);
      await runOf(simulation, kind)(process);
    });
    return process;
  }
}

function drawnFrom(theme: Theme): Kind[] {
  return Object.entries(KINDS[theme]).flatMap(([kind, count]) =>
    Array<Kind>(count).fill(kind as Kind),
  );
}
