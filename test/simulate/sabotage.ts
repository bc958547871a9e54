/** Deliberate faults, injected at the ports: each must make some seed fail, or the simulator proves nothing. */
import './sync-zlib.js';
import { UnprovenFile } from '../../src/artifacts/unproven-file.js';
import type { Archive } from '../../src/archive/archive.js';
import { LogIndex } from '../../src/archive/log/log-index.js';
import { SharedJobs } from '../../src/archive/histories/shared-jobs.js';
import { TableHistory } from '../../src/archive/delta/table-history.js';
import { StatesWriter } from '../../src/archive/snapshots/packed-states.js';
import { Holds } from '../../src/archive/holds/holds.js';
import { plainHolds } from '../support/store/plain-holds.js';
import { NamedArtifacts } from '../../src/archive/objects/named-artifacts.js';
import { ArtifactPool } from '../../src/export/jobs/artifact-pool.js';
import { PageReader } from '../../src/service/page-reader.js';
import type { PruneRules } from '../../src/prune/prune-rules.js';
import type {
  HistoryRequest,
  ServiceClient,
  SessionRequest,
  RequestBatch,
} from '../../src/service/service-client.js';
import type { FileSystem } from '../../src/storage/local/file-system.js';
import type { Storage } from '../../src/storage/storage.js';
import type { Conditions } from './conditions.js';
import {
  believingCaches,
  deleting,
  isTable,
  over,
  remembered,
  replaced,
  withoutSync,
} from './replaced-methods.js';
import type { SimProcess } from './sim-process.js';

export interface Sabotage {
  /** Of the world in which it is detected soonest. */
  readonly conditions?: Partial<Conditions>;
  readonly service?: (client: ServiceClient, process: SimProcess) => ServiceClient;
  /** @param reopened the same archive, opened anew without a cache */
  readonly archive?: (archive: Archive, reopened: () => Archive) => void;
  readonly storage?: (storage: Storage) => Storage;
  readonly fileSystem?: (fileSystem: FileSystem) => FileSystem;
  readonly rules?: (rules: PruneRules) => PruneRules;
  readonly isUnsigned?: (process: SimProcess) => boolean;
  /** Takes a guard out of the code itself, and returns what puts it back. */
  readonly disarm?: () => () => void;
}

/** Conditions with many deletions. */
const DELETING: Partial<Conditions> = {
  theme: 'deleting',
  hasArchive: true,
  isDisk: false,
  checkpointBytes: 128e6,
  pageSize: 100,
  pageCap: 100,
  peopleRate: 0.02,
  killRate: 0,
  hasHold: false,
  users: 2,
  jump: 0,
  stepMs: 10,
  snapshotCommits: null,
};

/** Likewise, with more that people do, and nothing else that could go wrong. */
const CALM: Partial<Conditions> = {
  ...DELETING,
  networkFailures: 0,
  peopleRate: 0.05,
  misreadRate: 0,
  cachedReads: 0,
  hasDelta: false,
};

/** Conditions with many rewrites and no random failures. */
const REWRITING: Partial<Conditions> = {
  theme: 'rewriting',
  hasArchive: true,
  isDisk: false,
  pageSize: 100,
  pageCap: 100,
  networkFailures: 0,
  storageFailures: 0,
  peopleRate: 0.05,
  killRate: 0,
  powerRate: 0,
  jump: 0,
  stepMs: 10,
};

/** Likewise, with Delta logs. */
const WITH_DELTA: Partial<Conditions> = {
  ...REWRITING,
  hasDelta: true,
  checkpointBytes: 2000,
  snapshotCommits: null,
};

/** Conditions in which many sessions share files, and many that the service still has are erased. */
const SHARING: Partial<Conditions> = {
  ...REWRITING,
  theme: 'sweeping',
  hasWeakLeases: true,
  hasDelta: false,
  checkpointBytes: 128e6,
  users: 2,
  peopleRate: 0.1,
  snapshotCommits: null,
  tornSnapshots: 0,
  sharesFiles: 0.7,
  erasesLiving: 1,
  hasHold: false,
  holdsSpelling: false,
  misreadRate: 0,
  cachedReads: 0,
  queueLosses: null,
  sticky: 0.5,
};

/** Conditions in which a cache often answers with another history, and nothing else fails. */
const MISREADING: Partial<Conditions> = {
  theme: 'mixed',
  hasArchive: true,
  isDisk: false,
  networkFailures: 0,
  storageFailures: 0,
  peopleRate: 0.02,
  killRate: 0,
  powerRate: 0,
  misreadRate: 0.02,
  misreads: ['another'],
  hasDelta: false,
};

/** Likewise, and much is deleted of the only user. */
const MISREADING_OFTEN: Partial<Conditions> = {
  ...MISREADING,
  theme: 'deleting',
  misreadRate: 0.1,
  peopleRate: 0.05,
  users: 1,
  cachedReads: 0,
  queueLosses: null,
};

/** By the name that `--fault` takes. */
export const SABOTAGES: Readonly<Record<string, () => Sabotage>> = {
  'retry-delete-blindly': () => ({
    conditions: { ...DELETING, networkFailures: 0.2 },
    service: (client, process) =>
      deleting(client, (asked) => ({
        async deleteSession(request) {
          try {
            await asked.deleteSession(request);
          } catch {
            if ('close' in asked) await (asked as RequestBatch).close();
            await process.clock.sleep(20_000);
            // nor asks whether it is too late: that alone would hold it back
            await client.deleteSession({ ...request, isTooLate: undefined });
          }
        },
      })),
  }),
  'stale-session': () => {
    const memory = new Map<string, Promise<unknown>>();
    return {
      conditions: CALM,
      service: (client, { name }) =>
        deleting(client, (asked) =>
          name.startsWith('prune') && 'remaining' in asked
            ? {
                getSession: remembered(memory, (request: SessionRequest) =>
                  asked.getSession(request),
                ),
              }
            : {},
        ),
    };
  },
  'stale-history': () => {
    const memory = new Map<string, Promise<unknown>>();
    return {
      conditions: { ...CALM, peopleRate: 0.1, sticky: 0 },
      service: (client, { name }) =>
        deleting(client, (asked) =>
          name.startsWith('prune')
            ? {
                getHistory: remembered(memory, (request: HistoryRequest) =>
                  asked.getHistory(request),
                ),
              }
            : {},
        ),
    };
  },
  'compare-no-readings': () => ({
    conditions: MISREADING_OFTEN,
    disarm: () => replaced(SharedJobs.prototype, 'sharing', () => []),
  }),
  'compare-nothing': () => ({
    conditions: MISREADING_OFTEN,
    disarm: () => replaced(SharedJobs.prototype, 'compare', () => undefined),
  }),
  'believe-closed-connections': () => ({
    conditions: { ...DELETING, networkFailures: 0, unendedFiles: 0.5 },
    disarm: () => replaced(UnprovenFile.prototype, 'compare', (file) => Promise.resolve(file)),
  }),
  'believe-caches': () => ({
    conditions: { ...DELETING, networkFailures: 0, cachedReads: 0.3 },
    service: believingCaches,
  }),
  'ignore-holds': () => ({
    conditions: { ...DELETING, hasHold: true },
    rules: (rules) => ({ ...rules, holds: Holds.none }),
  }),
  'hold-one-spelling': () => ({
    conditions: { ...DELETING, hasSpellings: true, holdsSpelling: true },
    rules: (rules) => ({
      ...rules,
      holds: plainHolds(
        rules.holds.targets.flatMap(({ id = '' }) => (id === id.trim() ? [id] : [])),
      ),
    }),
  }),
  'forget-holds-in-the-log': () => ({
    conditions: { theme: 'holding', hasArchive: true, killRate: 0, peopleRate: 0.005 },
    archive: ({ index }) => {
      Object.defineProperty(index, 'holds', { get: () => [] });
    },
  }),
  'believe-first-page': () => ({
    // where most histories have several pages, and nothing makes a run look again
    conditions: {
      pageCap: 2,
      pageSize: 100,
      isDisk: false,
      networkFailures: 0,
      storageFailures: 0,
      killRate: 0,
      powerRate: 0,
    },
    service: (client) =>
      over(client, {
        async getHistory(request) {
          const page = await client.getHistory(request);
          const pageSize = request.pageSize ?? page.pageSize;
          return Object.assign(page, { totalItems: page.records.length, pageSize });
        },
      }),
    disarm: () => replaced(PageReader.prototype, 'isCut', () => Promise.resolve(false)),
  }),
  'drop-conflict-check': () => ({
    conditions: {
      ...REWRITING,
      users: 1,
      checkpointBytes: 2000,
      hasWeakLeases: true,
      sticky: 0,
      misreadRate: 0,
      cachedReads: 0,
      hasDelta: false,
    },
    archive: ({ log }) => {
      const append = log.append.bind(log);
      log.append = async (draft) => {
        const base = (await log.head())?.number ?? 0;
        return append({ ...draft, base });
      };
    },
  }),
  'forget-abandonment': () => ({
    conditions: {
      theme: 'mixed',
      hasFalseDeaths: true,
      hasWeakLeases: true,
      isDisk: false,
      sticky: 0,
      jump: 0.02,
      stepMs: 100,
      // it notices late that its lease is gone
      leaseTermMs: 600_000,
      users: 2,
      pageCap: 2,
      pageSize: 100,
      checkpointBytes: 1,
      networkFailures: 0.1,
      storageFailures: 0,
      peopleRate: 0.05,
      killRate: 0,
      powerRate: 0,
      misreadRate: 0,
      cachedReads: 0,
      queueLosses: null,
      unendedFiles: 0,
      hasSpellings: false,
      holdsSpelling: false,
      hasDelta: false,
    },
    archive: ({ log }, reopened) => {
      const append = log.append.bind(log);
      log.append = async (draft) => {
        const newest = (await log.head())?.number ?? 0;
        let base = 0;
        for await (const { number, abandoned } of log.commits(1, newest)) {
          if (abandoned.includes(draft.run)) base = number;
        }
        if (base === 0) return append(draft);
        // an index that has not read the abandoned runs
        return reopened().log.append({ ...draft, base: Math.max(base, draft.base) });
      };
    },
  }),
  'overwrite-commits': () => ({
    conditions: { hasWeakLeases: true },
    storage: (storage) =>
      over(storage, {
        async putIfAbsent(path, bytes) {
          if (!path.startsWith('_commits/')) return storage.putIfAbsent(path, bytes);
          await storage.put(path, bytes);
          return true;
        },
      }),
  }),
  'unsigned-append': () => ({
    conditions: { isSigned: true, theme: 'rewriting' },
    isUnsigned: ({ name }) => !name.startsWith('full'),
  }),
  'forget-intents': () => ({
    conditions: { ...DELETING, killRate: 0.01 },
    storage: (storage) =>
      over(storage, {
        put: async (path, bytes) => {
          if (!path.startsWith('_intents/')) await storage.put(path, bytes);
        },
      }),
  }),
  'forget-queued-users': () => ({
    conditions: { ...MISREADING, misreadRate: 0, cachedReads: 0, queueLosses: 0.5, users: 2 },
    storage: (storage) =>
      over(storage, {
        put: async (path, bytes) => {
          if (!path.startsWith('_runs/')) await storage.put(path, bytes);
        },
      }),
  }),
  'keep-erased-states': () => ({
    conditions: { ...REWRITING, users: 2, checkpointBytes: 128e6 },
    storage: (storage) =>
      over(storage, {
        delete: async (path) => {
          if (!path.endsWith('.states.jsonl.gz')) await storage.delete(path);
        },
      }),
  }),
  'keep-erased-snapshots': () => ({
    conditions: { ...REWRITING, users: 2, peopleRate: 0.1, snapshotCommits: 1, tornSnapshots: 0 },
    storage: (storage) =>
      over(storage, {
        delete: async (path) => {
          if (!path.startsWith('_snapshots/')) await storage.delete(path);
        },
      }),
  }),
  'believe-stale-snapshots': () => ({
    conditions: { ...REWRITING, snapshotCommits: 4, tornSnapshots: 0, checkpointBytes: 1 },
    disarm: () =>
      replaced(LogIndex.prototype, 'inSnapshot', function (this: LogIndex, user) {
        return this.snapshot?.users.get(user);
      }),
  }),
  // a commit names what the log does not give
  'forge-snapshots': () => ({
    conditions: { ...REWRITING, snapshotCommits: 1, tornSnapshots: 0, checkpointBytes: 1 },
    disarm: () => {
      const add: StatesWriter['add'] = Reflect.get(StatesWriter.prototype, 'add');
      return replaced(StatesWriter.prototype, 'add', function (this: StatesWriter, texts) {
        const forged = [...texts].map((text) => text.replace('"settled":true', '"settled":false'));
        return add.call(this, forged);
      });
    },
  }),
  // what a run puts after an erasure lies where the erasure, or a later sweep, deletes what no row names
  'reuse-older-artifact': () => ({
    conditions: SHARING,
    disarm: () => {
      const accept: ArtifactPool['accept'] = Reflect.get(ArtifactPool.prototype, 'accept');
      return replaced(ArtifactPool.prototype, 'accept', async function (this: ArtifactPool, file) {
        const facts = await accept.call(this, file);
        const path = facts.path.replace(/-\d+(?=\.)/, '');
        const putAtMs = (await this.archive.storage.stat(path)) ? Infinity : undefined;
        Object.assign(this.get(facts.sha256) ?? {}, { path, putAtMs });
        return { ...facts, path };
      });
    },
  }),
  // what a living run has put goes, too, although the run knows of the erasure and may name it
  'sweep-the-unnamed-of-the-living': () => ({
    conditions: SHARING,
    disarm: () => {
      const unnamed: NamedArtifacts['unnamedBefore'] = Reflect.get(
        NamedArtifacts.prototype,
        'unnamedBefore',
      );
      return replaced(
        NamedArtifacts.prototype,
        'unnamedBefore',
        function (this: NamedArtifacts, _, listed) {
          return unnamed.call(this, Infinity, listed);
        },
      );
    },
  }),
  'delete-before-delta': () => ({
    conditions: WITH_DELTA,
    // a rewrite deletes files that the newest version names
    archive: ({ delta }) => {
      const publish = delta.publish.bind(delta);
      delta.publish = () => Promise.resolve();
      delta.tryPublish = async (_, options) => publish(options);
    },
  }),
  'lose-delta-versions': () => {
    let puts = 0;
    return {
      conditions: WITH_DELTA,
      storage: (storage) =>
        over(storage, {
          putIfAbsent: async (path, bytes) =>
            path.includes('/_delta_log/') && ++puts % 50 === 0
              ? true
              : storage.putIfAbsent(path, bytes),
        }),
    };
  },
  'keep-delta-of-the-erased': () => ({
    conditions: { ...WITH_DELTA, users: 2 },
    storage: (storage) =>
      over(storage, {
        delete: async (path) => {
          if (!path.includes('/_delta_log/')) await storage.delete(path);
        },
      }),
  }),
  'forget-removed-files-in-delta': () => ({
    conditions: WITH_DELTA,
    disarm: () => {
      const add = Reflect.get<TableHistory, 'add'>(TableHistory.prototype, 'add');
      return replaced(TableHistory.prototype, 'add', function (this: TableHistory, commit, added) {
        add.call(this, commit, added, []);
      });
    },
  }),
  'restore-one-job-less': () => ({
    conditions: { ...REWRITING, hasDelta: false },
    service: (client, { name }) =>
      over(client, {
        async getHistory(request) {
          const page = await client.getHistory(request);
          if (!name.startsWith('drill')) return page;
          const records = page.records.slice(1);
          return Object.assign(page, { records, totalItems: records.length });
        },
      }),
  }),
  'skip-directory-sync': () => ({
    conditions: { isDisk: true },
    fileSystem: (fileSystem) => withoutSync(fileSystem, 'r'),
  }),
  'skip-file-sync': () => ({
    conditions: { isDisk: true },
    // a file that waits in memory is written and synced under one handle, a larger one is opened again for it
    fileSystem: (fileSystem) => withoutSync(fileSystem, 'wx', 'r+'),
  }),
  'store-half-a-file': () => ({
    storage: (storage) =>
      over(storage, {
        async stage(options) {
          const staged = await storage.stage(options);
          return over(staged, {
            write: (chunk) => staged.write(isTable(chunk) ? chunk.subarray(0, 15) : chunk),
          });
        },
      }),
  }),
};
