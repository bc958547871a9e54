/**
 * Exhaustive small scopes: two runs on one session, switched or killed at every moment that matters. Such a
 * moment is right before a change of an object or of the service.
 */
import './sync-zlib.js';
import { expectAllProven } from './finale.js';
import { runOf, type Kind } from './kinds.js';
import type { Step } from './scheduler.js';
import type { SimProcess } from './sim-process.js';
import { Simulation } from './simulation.js';
import { Stage } from './stage.js';
import { Violation } from './violation.js';

/** The runs, and the number of changes after which the active run is switched; `kill`: it is killed instead. */
export interface Order {
  readonly pair: readonly [Kind, Kind];
  readonly turns: readonly number[];
  readonly kill: boolean;
}

export interface OrderResult {
  readonly order: Order;
  readonly violation: Violation | undefined;
  /** Whether a run ended before its turn was over: later turns then make no difference. */
  readonly isShort: boolean;
}

/** Every pair of runs that write. */
export const PAIRS: readonly (readonly [Kind, Kind])[] = (
  ['export', 'full export', 'prune', 'compact', 'erase', 'hold'] as const
).flatMap((a, _, all) => all.map((b) => [a, b] as const));

const CHANGE = / (put|put if absent|publish|replace|delete|DELETE) \S+$/;
const MOST_STEPS = 20_000;
/** Limit of consecutive timers before a switch. */
const MOST_WAKES = 20;

/** One session of two jobs, archived in two commits; a third job is not yet archived if the runs export. */
async function prepared(pair: Order['pair'], walk: Walk): Promise<Stage> {
  const simulation = new Simulation({
    seed: 1,
    choose: (steps, last) => walk.choose(steps, last),
    conditions: {
      theme: 'mixed',
      jump: 0,
      stepMs: 0,
      networkFailures: 0,
      storageFailures: 0,
      users: 1,
      pageCap: 100,
      pageSize: 100,
      checkpointBytes: 128e6,
      leaseTermMs: 3000,
      hasWeakLeases: true,
      hasFalseDeaths: false,
      isDisk: false,
      isSigned: false,
      hasHold: false,
      editsOld: false,
      hasChangingUrls: false,
      queueLosses: null,
      hasDelta: false,
      sharesFiles: 0,
      erasesLiving: 1,
    },
  });
  const { service } = simulation;
  for (const extra of service.present().slice(1)) service.forget(extra);
  const [session] = service.present();
  if (!session) throw new Error('there is no session');
  const stage = new Stage(simulation);
  for (let commits = 0; commits < 2; commits++) {
    service.addJob(session, OLD_MS, commits);
    await stage.alone('export', runOf(simulation, 'export'));
  }
  if (pair.some((kind) => kind.endsWith('export'))) service.addJob(session, OLD_MS, 1);
  return stage;
}

const OLD_MS = 48 * 3_600_000;

/** Runs one process until its turn is over. */
class Walk {
  #processes: readonly SimProcess[] = [];
  #at = 0;
  #turn = 0;
  #changes = 0;
  #wakes = 0;

  constructor(readonly order: Order) {}

  /** Whether a run ended before its turn. */
  get isShort(): boolean {
    return this.#turn < this.order.turns.length;
  }

  begin(processes: readonly SimProcess[]): void {
    this.#processes = processes;
  }

  /** Called before each step: whether the active run's turn is over, or the run is done. */
  readonly choose = (steps: readonly Step[], last: SimProcess | undefined): Step | undefined => {
    const { turns, kill } = this.order;
    if (this.#processes.length === 0) return steps.find((one) => one.process === last) ?? steps[0];
    const own = (): Step | undefined =>
      steps.find(({ process }) => process === this.#processes[this.#at]);
    const next = own();
    const changes = turns[this.#turn];
    if (next && changes !== undefined && CHANGE.test(next.label) && this.#changes++ === changes) {
      if (kill && this.#turn === turns.length - 1) next.process.kill();
      this.#turn++;
      this.#changes = 0;
      this.#at = 1 - this.#at;
    }
    const step = own();
    if (step) this.#wakes = 0;
    // the active run may only be asleep; a run that waits for the other's lease sleeps repeatedly
    else if (this.#processes[this.#at]?.isAlive && this.#wakes++ < MOST_WAKES) return undefined;
    return step ?? steps.find(({ process }) => process.isAlive);
  };
}

async function playOrder(order: Order): Promise<OrderResult> {
  const walk = new Walk(order);
  let violation: Violation | undefined;
  try {
    const stage = await prepared(order.pair, walk);
    const { simulation } = stage;
    const processes = order.pair.map((kind) => simulation.spawn(kind));
    order.pair.forEach((kind, n) => stage.begin(processes[n]!, kind, runOf(simulation, kind)));
    walk.begin(processes);
    const isDone = (): boolean => stage.isBroken || processes.every(({ isAlive }) => !isAlive);
    await simulation.scheduler.run(isDone, MOST_STEPS, () => undefined);
    stage.throwFailure();
    walk.begin([]);
    await expectAllProven(simulation, (kind, run) => stage.alone(kind, run));
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    violation = error;
  }
  return { order, violation, isShort: walk.isShort };
}

/** Which moments of a run are tried: each, unless they are apart. */
interface Moments {
  readonly first: number;
  readonly apart: number;
}

/**
 * Yields the result of every order with this number of turns. Varies the last turn first, and stops varying
 * it if the run was over before.
 */
export async function* everyOrder(
  pair: Order['pair'],
  depth: number,
  { first, apart }: Moments = { first: 0, apart: 1 },
  before: readonly number[] = [],
): AsyncGenerator<OrderResult> {
  for (let changes = first; ; changes += apart) {
    const turns = [...before, changes];
    if (turns.length < depth) {
      const probe = await playOrder({ pair, turns, kill: false });
      if (probe.isShort) return;
      yield* everyOrder(pair, depth, { first, apart }, turns);
      continue;
    }
    for (const kill of [false, true]) {
      const result = await playOrder({ pair, turns, kill });
      yield result;
      if (result.isShort) return;
    }
  }
}
