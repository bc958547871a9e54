/** Processes that want the same lease, on a clock that a test moves. */
import { onTestFinished } from 'vitest';
import {
  acquireLease,
  type AcquireOptions,
  decodeLeaseNote,
  type LeaseNote,
} from '../../../src/archive/runs/lease.js';
import { silentLogger } from '../../../src/base/logger.js';
import type { Processes } from '../../../src/base/process-identity.js';
import { DEFAULT_TERMS } from '../../../src/base/terms.js';
import { asRunId } from '../../../src/model/ids.js';
import type { Storage } from '../../../src/storage/storage.js';
import { FakeClock } from '../base/fake-clock.js';
import { createMemoryStorage, MemoryPlace } from './memory-storage.js';

export const PATH = '_leases/ann.json';

/** A storage with one lease, and processes of several machines that want it. */
export class LeaseRig {
  readonly place = new MemoryPlace();
  readonly clock = new FakeClock();
  readonly dead = new Set<number>();

  processes(pid: number, host = 'here'): Processes {
    return {
      self: { host, boot: 'b', pid, started: '1' },
      isDead: (other) => other.host === host && this.dead.has(other.pid),
    };
  }

  async acquire(pid: number, options: Partial<AcquireOptions> & { readonly host?: string } = {}) {
    const { host, ...more } = options;
    const lease = await acquireLease({
      storage: createMemoryStorage(this.place),
      path: PATH,
      run: asRunId(`RUN${pid}`),
      processes: this.processes(pid, host),
      clock: this.clock,
      logger: silentLogger,
      terms: DEFAULT_TERMS,
      subject: 'user ann',
      wait: 'endless',
      ...more,
    });
    onTestFinished(() => lease.release());
    return lease;
  }

  /** A lease that is not renewed; by default of a live process of this machine. */
  put(note: Readonly<Record<string, unknown>>): void {
    const complete = {
      host: 'here',
      boot: 'b',
      pid: 1,
      started: '1',

      beat: 0,
      ...note,
    };
    this.place.objects.set(PATH, Buffer.from(JSON.stringify(complete)));
  }

  /** Calls `before` ahead of each read of a lease. */
  watched(before: () => void = () => undefined) {
    const memory = createMemoryStorage(this.place);
    const deleted: string[] = [];
    const storage: Storage = {
      ...memory,
      get: (path) => {
        before();
        return memory.get(path);
      },
      delete: (path) => {
        deleted.push(path);
        return memory.delete(path);
      },
    };
    return { storage, deleted };
  }

  get note(): LeaseNote | undefined {
    const bytes = this.place.objects.get(PATH);
    return bytes && decodeLeaseNote(bytes);
  }
}

/** Whether it has come true by now, without waiting for it. */
export function watch(promise: Promise<unknown>): { settled: boolean } {
  const seen = { settled: false };
  const settle = () => void (seen.settled = true);
  promise.then(settle, settle);
  return seen;
}
