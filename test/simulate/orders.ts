/**
 * Small scopes, walked through: two runs on one session, and every moment at which one of them may have to
 * stop for the other, or be killed. A moment is right before something changes: an object, or the service.
 */
import './sync-zlib.js';
import { expectAllProven } from './finale.js';
import { runOf, type Kind } from './kinds.js';
import type { Step } from './scheduler.js';
import type { SimProcess } from './sim-process.js';
import { Simulation } from './simulation.js';
import { Stage } from './stage.js';
import { Violation } from './violation.js';

/** The runs, and after how many changes of the one at work the other goes on; `kill`: and it does not. */
export interface Order {
  readonly pair: readonly [Kind, Kind];
  readonly turns: readonly number[];
  readonly kill: boolean;
}

export interface OrderResult {
  readonly order: Order;
  readonly violation: Violation | undefined;
  /** Whether a run ended before its turn was over: then later turns make no difference. */
  readonly isShort: boolean;
}

/** Every pair of runs that write. */
export const PAIRS: readonly (readonly [Kind, Kind])[] = (
  ['export', 'full export', 'prune', 'compact', 'erase'] as const
).flatMap((a, _, all) => all.map((b) => [a, b] as const));

const CHANGE = / (put|put if absent|publish|replace|delete|DELETE) \S+$/;
const MOST_STEPS = 20_000;
/** Timers that fire in a row before the other goes on. */
const MOST_WAKES = 20;

/** One session of two jobs, archived in two commits; a third job that is not archived yet where the runs export. */
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

/** Lets one process work until its turn is over. */
class Walk {
  #processes: readonly SimProcess[] = [];
  #at = 0;
  #turn = 0;
  #changes = 0;
  #wakes = 0;

  constructor(readonly order: Order) {}

  /** Whether a run came to its end before its turn did. */
  get isShort(): boolean {
    return this.#turn < this.order.turns.length;
  }

  begin(processes: readonly SimProcess[]): void {
    this.#processes = processes;
  }

  /** Before each step: whether the one at work has had its turn, or is done. */
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
    // who is at work may only be asleep; who waits for the other's lease sleeps again and again
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

/**
 * Yields what came of every order with so many turns: deeper ones vary the last turn first, and stop
 * varying it where the run was over before.
 */
export async function* everyOrder(
  pair: Order['pair'],
  depth: number,
  before: readonly number[] = [],
): AsyncGenerator<OrderResult> {
  for (let changes = 0; ; changes++) {
    const turns = [...before, changes];
    if (turns.length < depth) {
      const probe = await playOrder({ pair, turns, kill: false });
      if (probe.isShort) return;
      yield* everyOrder(pair, depth, turns);
      continue;
    }
    for (const kill of [false, true]) {
      const result = await playOrder({ pair, turns, kill });
      yield result;
      if (result.isShort) return;
    }
  }
}
