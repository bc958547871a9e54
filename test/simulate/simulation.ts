/** One seed: a service, a storage, users, and two or three runs at a time, until the steps are used up and all is proven. */
import './sync-zlib.js';
import type { CommitSigner } from '../../src/archive/log/signing.js';
import { startingSigner } from '../support/base/signing-keys.js';
import type { Logger } from '../../src/base/logger.js';
import { DEFAULT_TERMS } from '../../src/base/terms.js';
import type { Storage } from '../../src/storage/storage.js';
import { seededRandom } from '../support/store/archive-samples.js';
import { ForgetfulDisk } from '../support/store/forgetful-disk.js';
import { MemoryPlace } from '../support/store/memory-storage.js';
import type { FailureKind } from '../../src/base/error.js';
import { archivedSessions } from './archived-sessions.js';
import { ArchiveView } from './archive-view.js';
import { drawnConditions, type Conditions } from './conditions.js';
import { Invariants } from './invariants.js';
import { SimDispatcher, type NetworkFaults } from './network.js';
import { People } from './people.js';
import type { Surroundings } from './runs.js';
import { over } from './replaced-methods.js';
import { SABOTAGES, type Sabotage } from './sabotage.js';
import { Scheduler, type Chooser } from './scheduler.js';
import { SharedCache } from './shared-cache.js';
import { lostAnswer, SimBucket } from './sim-bucket.js';
import { SimDisk } from './sim-disk.js';
import type { SimPlace, StorageFaults } from './sim-place.js';
import { ProcessTable, type SimProcess } from './sim-process.js';
import { SimService } from './sim-service.js';
import { heldSpelling, otherSpelling } from './spellings.js';

export interface SimulationOptions {
  readonly seed: number;
  /** The name of a deliberate fault. */
  readonly fault?: string | undefined;
  /** Uses the conditions of the fault, but without it: a failure then is not caused by the fault. */
  readonly isInnocent?: boolean | undefined;
  /** Steps until the final proof begins. */
  readonly steps?: number | undefined;
  /** Called with every step. */
  readonly onStep?: ((label: string) => void) | undefined;
  /** What the runs log. */
  readonly logger?: Logger | undefined;
  /** Overrides what the seed draws. */
  readonly conditions?: Partial<Conditions> | undefined;
  /** Replaces random choices. */
  readonly choose?: Chooser | undefined;
}

const MISTAKEN = 0.3;

/** The parts of a seed's world, shared by all. */
export class Simulation {
  readonly scheduler: Scheduler;
  readonly service: SimService;
  readonly people: People;
  readonly place: SimPlace;
  readonly copy: SimPlace;
  readonly processes = new ProcessTable();
  readonly invariants: Invariants;
  readonly sabotage: Sabotage;
  readonly holds = new Set<string>();
  readonly network: NetworkFaults;
  readonly cache: SharedCache;
  /** Fraction of writes that fail. */
  storageFailures: number;
  readonly disk: ForgetfulDisk | undefined;
  readonly conditions: Conditions;
  readonly #signer: CommitSigner | undefined;
  #names = 0;

  constructor(readonly options: SimulationOptions) {
    const { seed, fault, isInnocent = false, choose } = options;
    const random = seededRandom(Math.imul(seed + 1, 0x9e3779b1));
    for (let warm = 0; warm < 4; warm++) random.fraction();
    const sabotage = fault === undefined ? {} : sabotageNamed(fault);
    this.sabotage = isInnocent ? {} : sabotage;
    const conditions = Object.assign<Conditions, Partial<Conditions>, Partial<Conditions>>(
      drawnConditions(random),
      sabotage.conditions ?? {},
      options.conditions ?? {},
    );
    this.conditions = conditions;
    const { networkFailures, storageFailures, isSigned, editsOld, unendedFiles } = conditions;
    const { hasDelta } = conditions;
    this.scheduler = new Scheduler(random, conditions, choose);
    this.scheduler.onStep = options.onStep;
    this.service = new SimService(this.scheduler, conditions);
    this.people = new People(this.scheduler, this.service, editsOld);
    this.network = { refused: networkFailures, lost: networkFailures, unended: unendedFiles };
    this.cache = new SharedCache(this.scheduler, conditions.cachedReads, (text) =>
      [...this.invariants.erased.keys()].some((id) => text.includes(id)),
    );
    this.storageFailures = storageFailures;
    this.disk = conditions.isDisk ? new ForgetfulDisk() : undefined;
    if (this.disk) this.disk.now = () => this.scheduler.nowMs();
    this.place = this.#placeNamed('archive');
    this.copy = this.#placeNamed('copy');
    this.people.begin(['ann', 'ben'].slice(0, conditions.users));
    this.#signer = isSigned ? simulatedSigner() : undefined;
    if (conditions.hasHold) this.holds.add(this.scheduler.anyOf(this.service.present()).id);
    if (conditions.holdsSpelling) {
      this.holds.add(heldSpelling(this.scheduler.anyOf(this.service.users)));
    }
    const promised = { holds: this.holds, isSigned, editsOld, hasDelta };
    this.invariants = new Invariants(this.service, this.place, promised);
  }

  /** Errors with which a run may end in this world; `refused` if it was to erase what is on hold. */
  get forgiven(): readonly FailureKind[] {
    const { networkFailures, storageFailures, jump, stepMs } = this.conditions;
    const isSlow = jump > 0 || stepMs >= 1000;
    return [
      ...(['locked', 'usage', 'refused'] as const),
      ...(networkFailures > 0 || isSlow ? (['unreachable'] as const) : []),
      ...(storageFailures > 0 ? (['storage'] as const) : []),
    ];
  }

  /** As a run asks for them. */
  spelledUsers(): string[] {
    const { users } = this.service;
    if (!this.conditions.hasSpellings) return users;
    return users.map((user) => (this.scheduler.chance(0.5) ? user : otherSpelling(user)));
  }

  /** @param kind of run; the process gets its name */
  spawn(kind: string, host?: string): SimProcess {
    const process = this.scheduler.spawn(`${kind} ${++this.#names}`, host);
    this.processes.add(process);
    return process;
  }

  around(process: SimProcess): Surroundings {
    const { service, network: faults, cache, sabotage, invariants, options, conditions } = this;
    const { beforeDelete } = invariants;
    const opened = this.place.open(process, invariants.changed);
    const leased = conditions.hasWeakLeases ? withWeakLeases(opened) : opened;
    const storage = this.#tearing(leased);
    const { snapshotCommits: commits } = conditions;
    return {
      process,
      processes: this.processes.seenBy(process, this.#isMistaken),
      storage: sabotage.storage?.(storage) ?? storage,
      dispatcher: new SimDispatcher({ service, process, faults, cache, beforeDelete }),
      sabotage,
      signer: this.#signer,
      logger: options.logger,
      pageSize: conditions.pageSize,
      checkpointBytes: conditions.checkpointBytes,
      terms: { ...DEFAULT_TERMS, leaseMs: conditions.leaseTermMs },
      snapshotPace: commits === null ? undefined : { commits, entries: Infinity },
      hasDelta: conditions.hasDelta,
    };
  }

  /** Cuts or loses some snapshots, and some states beside them, as soon as they are written. */
  #tearing(storage: Storage): Storage {
    const { scheduler, conditions } = this;
    if (conditions.tornSnapshots === 0) return storage;
    const tear = async (path: string): Promise<void> => {
      if (!path.startsWith('_snapshots/') || !scheduler.chance(conditions.tornSnapshots)) return;
      if (scheduler.chance(0.5)) await storage.delete(path);
      else await storage.put(path, Buffer.from('torn'));
    };
    return over(storage, {
      async put(path, bytes) {
        await storage.put(path, bytes);
        await tear(path);
      },
      async stage(options) {
        const staged = await storage.stage(options);
        return over(staged, {
          async publish(path) {
            await staged.publish(path);
            await tear(path);
          },
        });
      },
    });
  }

  readonly #isMistaken = (): boolean =>
    this.conditions.hasFalseDeaths && this.scheduler.chance(MISTAKEN);

  /** A cache begins to answer a session with another history. */
  misread(): void {
    const { sessions } = archivedSessions(new ArchiveView(this.place));
    const { erased } = this.invariants;
    this.service.misreads.begin(
      this.scheduler.anyOf(this.conditions.misreads),
      ({ id }) => (sessions.get(id)?.jobs.size ?? 0) > 0 && !erased.has(id),
    );
  }

  /** Ends all processes; data that was not synced may be lost. */
  losePower(): void {
    for (const process of this.processes.alive) process.kill();
    this.disk?.losePower(() => this.scheduler.random.fraction());
    this.invariants.powerLost();
  }

  /** Stops all random failures. */
  heal(): void {
    this.service.misreads.end();
    this.cache.rate = 0;
    this.network.refused = 0;
    this.network.lost = 0;
    this.network.unended = 0;
    this.storageFailures = 0;
  }

  throwViolation(): void {
    const [first] = this.invariants.violations;
    if (first) throw first;
  }

  #placeNamed(name: string): SimPlace {
    const { scheduler } = this;
    const faults: StorageFaults = {
      fileSystem: this.sabotage.fileSystem,
      strike: (_process, what) => {
        if (!scheduler.chance(this.storageFailures)) return;
        throw what === 'write' && this.disk ? noSpace() : lostAnswer();
      },
    };
    if (this.disk) return new SimDisk(this.disk, this.processes, faults, name);
    const place = new MemoryPlace();
    place.now = () => scheduler.nowMs();
    return new SimBucket(place, faults);
  }
}

function sabotageNamed(name: string): Sabotage {
  const sabotage = SABOTAGES[name];
  if (sabotage) return sabotage();
  throw new Error(`there is no fault ${name}; there are ${Object.keys(SABOTAGES).join(', ')}`);
}

/** Except those that determine whether a run is alive. */
function withWeakLeases(storage: Storage): Storage {
  return over(storage, {
    async putIfAbsent(path, bytes) {
      if (!/^_leases\/(?!run-)/.test(path)) return storage.putIfAbsent(path, bytes);
      await storage.put(path, bytes);
      return true;
    },
  });
}

function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: made up'), { code: 'ENOSPC' });
}

/** A constant key: it protects no secret. Source: RFC 8410 */
function simulatedSigner(): CommitSigner {
  const der = Buffer.from(`302e020100300506032b657004220420${'5a'.repeat(32)}`, 'hex');
  const body = der.toString('base64');
  return startingSigner(`-----BEGIN PRIVATE KEY-----\n${body}\n-----END PRIVATE KEY-----\n`);
}
