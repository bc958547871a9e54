/**
 * Simulated time and order: every step of every process waits here until the seed picks it. Nothing else runs
 * between two picks, so the same seed gives the same run.
 */
import type { Clock, Random } from '../../src/base/runtime.js';
import { SimProcess } from './sim-process.js';
import { Violation } from './violation.js';

/** A step that a process waits for, and that may happen now. */
export interface Step {
  readonly process: SimProcess;
  /** Its label, the same in every run of the seed. */
  readonly label: string;
  readonly go: () => void;
}

export interface Timer extends Step {
  readonly dueMs: number;
}

export interface Pace {
  /** Probability that time jumps to the next timer although a step is possible. */
  readonly jump: number;
  /** Probability that the process of the last step continues. */
  readonly sticky: number;
  /** The longest duration of a step. */
  readonly stepMs: number;
}

/** Picks the next step, or none before the next timer; a seed picks by chance, the exhaustive search by plan. */
export type Chooser = (steps: readonly Step[], last: SimProcess | undefined) => Step | undefined;

const START_MS = Date.UTC(2026, 10, 2, 3);
const FNV_PRIME = 0x01000193;
/** Limit of consecutive rounds in which every run ended before its first step; more are a deadlock. */
const MOST_IDLE_ROUNDS = 20;

export class Scheduler {
  #monotonicMs = 0;
  #ready: Step[] = [];
  #timers: Timer[] = [];
  #last: SimProcess | undefined;
  #idleRounds = 0;
  #pids = 100;
  steps = 0;
  /** Digest of the labels of all steps: equal for equal runs. */
  trace = 0x811c9dc5;
  /** Called with every step. */
  onStep: ((label: string) => void) | undefined;

  constructor(
    readonly random: Random,
    readonly pace: Pace,
    readonly choose?: Chooser,
  ) {}

  nowMs(): number {
    return START_MS + this.#monotonicMs;
  }

  get monotonicMs(): number {
    return this.#monotonicMs;
  }

  below(count: number): number {
    return Math.floor(this.random.fraction() * count);
  }

  chance(probability: number): boolean {
    return this.random.fraction() < probability;
  }

  anyOf<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error('there is nothing to choose from');
    return items[this.below(items.length)] as T;
  }

  spawn(name: string, host = 'one'): SimProcess {
    return new SimProcess(this, name, { host, pid: ++this.#pids });
  }

  /** Resolves when the step is picked; never if its process has died. */
  wait(process: SimProcess, label: string): Promise<void> {
    return new Promise((resolve) => {
      if (!process.isAlive) return;
      this.#ready.push({ process, label: `${process.name} ${label}`, go: resolve });
    });
  }

  clockOf(process: SimProcess): Clock {
    return {
      now: () => this.nowMs(),
      monotonic: () => this.#monotonicMs,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          signal?.throwIfAborted();
          if (!process.isAlive) return;
          if (ms <= 0) {
            resolve();
            return;
          }
          const abort = (): void => {
            this.#timers = this.#timers.filter((other) => other !== timer);
            // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's
            reject(signal?.reason);
          };
          const go = (): void => {
            signal?.removeEventListener('abort', abort);
            resolve();
          };
          const dueMs = this.#monotonicMs + ms;
          const timer: Timer = { process, label: `${process.name} wakes`, go, dueMs };
          this.#insert(timer);
          signal?.addEventListener('abort', abort, { once: true });
        }),
    };
  }

  /** Cancels the steps of a dead process. */
  forget(process: SimProcess): void {
    this.#ready = this.#ready.filter((step) => step.process !== process);
    this.#timers = this.#timers.filter((timer) => timer.process !== process);
  }

  /**
   * Goes on until `isDone`, one step at a time.
   *
   * @param between called when nothing is under way, before each step
   */
  async run(isDone: () => boolean, mostSteps: number, between: () => void): Promise<void> {
    for (let steps = 0; ; steps++) {
      between();
      await settled();
      if (isDone()) return;
      if (steps > mostSteps) throw new Violation('no-end', `no end after ${mostSteps} steps`);
      const step = this.#next();
      if (!step) continue;
      this.#last = step.process;
      this.steps++;
      this.#note(step.label);
      step.go();
    }
  }

  /** Undefined if no process can continue, and none waits. */
  #next(): Step | undefined {
    this.#monotonicMs += this.random.fraction() * this.pace.stepMs;
    const [first] = this.#timers;
    const isFirstDue = first !== undefined && first.dueMs <= this.#monotonicMs;
    if (this.#ready.length === 0 || (!isFirstDue && this.chance(this.pace.jump))) {
      if (first) return this.#fire(first);
      if (this.#ready.length === 0) {
        // all runs may have ended before their first step: others begin in their place
        if (++this.#idleRounds > MOST_IDLE_ROUNDS) {
          throw new Violation('stuck', 'everybody waits for nothing');
        }
        return undefined;
      }
    }
    this.#idleRounds = 0;
    const due = this.#timers.filter(({ dueMs }) => dueMs <= this.#monotonicMs);
    const step = this.#pick([...this.#ready, ...due]);
    if (!step) {
      const [next] = this.#timers;
      return next && this.#fire(next);
    }
    if ('dueMs' in step) return this.#fire(step as Timer);
    this.#ready.splice(this.#ready.indexOf(step), 1);
    return step;
  }

  #pick(steps: readonly Step[]): Step | undefined {
    if (this.choose) return this.choose(steps, this.#last);
    if (this.chance(this.pace.sticky)) {
      const own = steps.filter(({ process }) => process === this.#last);
      if (own.length > 0) return this.anyOf(own);
    }
    return this.anyOf(steps);
  }

  #fire(timer: Timer): Step {
    this.#timers.splice(this.#timers.indexOf(timer), 1);
    this.#monotonicMs = Math.max(this.#monotonicMs, timer.dueMs);
    return timer;
  }

  /** Of timers due at the same time, the oldest fires first. */
  #insert(timer: Timer): void {
    let at = this.#timers.length;
    while (at > 0 && (this.#timers[at - 1]?.dueMs ?? 0) > timer.dueMs) at--;
    this.#timers.splice(at, 0, timer);
  }

  #note(label: string): void {
    this.onStep?.(label);
    let { trace } = this;
    for (let at = 0; at < label.length; at++) {
      trace = Math.imul(trace ^ label.charCodeAt(at), FNV_PRIME) >>> 0;
    }
    this.trace = trace;
  }
}

/** Resolves when all promises that can continue have continued: nothing here waits for a thread or a socket. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
