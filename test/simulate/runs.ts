/** The runs of simulated processes: jobvault's own code on simulated ports. */
import {
  archiveOf,
  fromSnapshot,
  type Archive,
  type ContextOptions,
} from '../../src/archive/archive.js';
import { addHolds, releaseHolds } from '../../src/archive/holds/change-holds.js';
import type { CommitSigner } from '../../src/archive/log/signing.js';
import { createOrOpenArchive, openArchiveIn } from '../../src/archive/open-archive.js';
import type { SnapshotPace } from '../../src/archive/snapshots/write-snapshot.js';
import { verifyArchive } from '../../src/archive/verify/verify.js';
import { readConsistently } from '../../src/archive/consistent-read.js';
import { retryOnRewrite } from '../../src/archive/retry-on-rewrite.js';
import { ArchiveView } from '../../src/archive/reading/archive-view.js';
import { summaryOf } from '../../src/archive/state/session-summary.js';
import { emptyState } from '../../src/archive/state/user-state.js';
import { createArtifactFetcher } from '../../src/artifacts/fetcher.js';
import { silentLogger, type Logger } from '../../src/base/logger.js';
import { DEFAULT_TERMS, type Terms } from '../../src/base/terms.js';
import { runExport } from '../../src/export/run-export.js';
import type { ExportResult } from '../../src/export/run-tally.js';
import type { RowFormat } from '../../src/formats/format.js';
import { createJsonlFormat } from '../../src/formats/jsonl/jsonl-format.js';
import { asRunId, asUserId } from '../../src/model/ids.js';
import { ulid } from '../../src/base/ulid.js';
import { pruneRules, type PruneRules } from '../../src/prune/prune-rules.js';
import { runPrune, type PruneResult } from '../../src/prune/run-prune.js';
import { compact } from '../../src/rewrite/compaction/compact.js';
import { copyProven } from '../../src/rewrite/copy-archive.js';
import type { EraseOptions, EraseSummary } from '../../src/rewrite/erasure/erase-options.js';
import { erase } from '../../src/rewrite/erasure/erase.js';
import type { ExpireChoices, ExpireSummary } from '../../src/rewrite/expiry/expire-options.js';
import { expire } from '../../src/rewrite/expiry/expire.js';
import { createServiceClient } from '../../src/service/create-service-client.js';
import { type Pace, RateLimiter } from '../../src/service/pace/pace.js';
import { RequestBudget, type RequestBudgetOptions } from '../../src/service/pace/request-budget.js';
import type { ServiceClient } from '../../src/service/service-client.js';
import { ArchivedSessions } from '../../src/restore/archived-sessions.js';
import { drillBy, usersWithSessions, type DrillReport } from '../../src/restore/drill.js';
import type { Processes } from '../../src/base/process-identity.js';
import type { Storage } from '../../src/storage/storage.js';
import type { Dispatcher } from 'undici';
import { knowing } from '../support/store/archive-samples.js';
import { createMemoryStorage } from '../support/store/memory-storage.js';
import { API_ORIGIN } from './network.js';
import { SERVED_FILES, ArchiveDispatcher } from './archive-dispatcher.js';
import { SETTLE_MS } from './people.js';
import type { Sabotage } from './sabotage.js';
import type { SimProcess } from './sim-process.js';
import { Violation } from './violation.js';

/** The ports of a run's process. */
export interface Surroundings {
  readonly process: SimProcess;
  readonly processes: Processes;
  readonly storage: Storage;
  readonly dispatcher: Dispatcher;
  readonly sabotage: Sabotage;
  readonly signer: CommitSigner | undefined;
  readonly logger?: Logger | undefined;
  readonly pageSize: number;
  readonly checkpointBytes: number;
  readonly terms?: Terms | undefined;
  readonly snapshotPace?: SnapshotPace | undefined;
  /** Tables are Parquet, and have Delta logs. */
  readonly hasDelta: boolean;
}

export const TOOL = 'jobvault simulated';
const jsonl = createJsonlFormat();
/** JSON lines in place of Parquet: what a Delta log says of a file is not in it. */
const parquet: RowFormat = { ...jsonl, name: 'parquet', extension: 'parquet' };
export const FORMATS = knowing(parquet, jsonl);
/** Requests a second: time costs nothing here, but each wait is a step. */
const RATE = 1000;

/** Whether nothing is missing but by a decision: what was erased, or is accepted. */
export function hasReadAll(status: string): boolean {
  return status === 'complete' || status === 'incomplete-by-decision';
}

export async function simulatedExport(
  around: Surroundings,
  options: {
    readonly users: readonly string[];
    readonly full: boolean;
    /** The queued run that they belong to. */
    readonly queue?: string;
  },
): Promise<ExportResult> {
  const { storage, pageSize, checkpointBytes } = around;
  const service = clientOf(around);
  const fetcher = fetcherOf(around);
  try {
    const archive = await openedForRun(around);
    return await runExport({
      archive,
      service,
      fetcher,
      beginsDelta: around.hasDelta,
      ...(options.queue === undefined ? {} : { scope: { queue: options.queue } }),
      users: options.users.map(asUserId),
      // people there delete all that a small archive has
      allowOtherConversations: true,
      lap: { name: 'all' },
      observer: {},
      settings: {
        full: options.full,
        rereadMs: 30 * 86_400_000,
        settleTimeMs: SETTLE_MS,
        sessions: [],
        search: undefined,
        retryGaps: false,
      },
      concurrency: 2,
      pageSize,
      checkpointBytes,
      checkpointIntervalMs: 60_000,
      snapshotPace: around.snapshotPace,
      noWait: false,
      signal: new AbortController().signal,
    });
  } finally {
    await Promise.all([service.close(), fetcher.close()]);
    await storage.close();
  }
}

export async function simulatedPrune(
  around: Surroundings,
  rules: Partial<PruneRules>,
  limits: Omit<RequestBudgetOptions, 'clock'> = {},
): Promise<PruneResult> {
  const { process, storage, pageSize } = around;
  const { clock, random } = process;
  const budget = new RequestBudget(new RateLimiter({ clock, rate: RATE }), { ...limits, clock });
  const service = clientOf(around, budget);
  const fetcher = fetcherOf(around);
  try {
    const archive = await opened(around);
    const result = await runPrune({
      runId: asRunId(ulid(clock, random)),
      archive,
      service,
      budget,
      fetcher,
      pageSize,
      rules: around.sabotage.rules?.(pruneRules(rules)) ?? pruneRules(rules),
      unknownIds: 'skip',
      noWait: false,
      signal: new AbortController().signal,
    });
    const { maxRequests = Infinity } = limits;
    const { requests } = service.stats;
    if (requests <= maxRequests) return result;
    throw new Violation(
      'budget',
      `${requests} requests were sent, and ${maxRequests} were allowed`,
    );
  } finally {
    await Promise.all([service.close(), fetcher.close()]);
    await storage.close();
  }
}

function fetcherOf(around: Surroundings) {
  const { process, storage, dispatcher, terms = DEFAULT_TERMS, logger = silentLogger } = around;
  const { clock, random } = process;
  const ports = { storage, clock, random, logger, terms, dispatcher };
  return createArtifactFetcher({ ...ports, userAgent: TOOL });
}

export async function simulatedCompaction(around: Surroundings, graceMs: number): Promise<void> {
  try {
    const targetBytes = 1e6;
    await compact({ ...(await rewriting(around)), targetBytes, graceMs });
  } finally {
    await around.storage.close();
  }
}

export async function simulatedErasure(
  around: Surroundings,
  erasure: Pick<EraseOptions, 'sessions' | 'holds'>,
): Promise<EraseSummary> {
  try {
    return await erase({
      ...(await rewriting(around)),
      ...erasure,
      users: [],
      reason: null,
      by: null,
      kept: null,
      allowUnknownHolds: true,
      noWait: false,
      dryRun: false,
    });
  } finally {
    await around.storage.close();
  }
}

/** @param change sets or releases a hold on the session */
export async function simulatedHold(
  around: Surroundings,
  change: 'hold' | 'release',
  session: string,
): Promise<void> {
  const given = { sessions: [session], reason: 'simulated', by: 'Grace' };
  try {
    const archive = await opened(around);
    if (change === 'hold') await addHolds(archive, given);
    else await releaseHolds(archive, { ...given, all: true });
  } finally {
    await around.storage.close();
  }
}

export async function simulatedExpiry(
  around: Surroundings,
  choices: Pick<ExpireChoices, 'olderThanMs' | 'confirm'>,
): Promise<ExpireSummary> {
  try {
    return await expire(await rewriting(around), { ...choices });
  } finally {
    await around.storage.close();
  }
}

export async function simulatedCopy(around: Surroundings, target: Storage): Promise<void> {
  try {
    const { signal } = new AbortController();
    const archive = await opened(around);
    await copyProven({ archive, target, concurrency: 2, signal });
  } finally {
    await target.close();
    await around.storage.close();
  }
}

/** Restores all sessions or a part of them. */
export async function simulatedDrill(around: Surroundings, sample: number): Promise<DrillReport> {
  const { signal } = new AbortController();
  try {
    const archive = await opened(around);
    return await drillBy({ archive, sample, signal }, async (wanted) => {
      const scratch = createMemoryStorage();
      const served = await ArchivedSessions.read({ archive, scratch, ...wanted, signal });
      const dispatcher = new ArchiveDispatcher(archive, served, around.process);
      const storage = createMemoryStorage();
      const users = usersWithSessions(served);
      const into = { ...around, storage, dispatcher, hasDelta: false, snapshotPace: undefined };
      const { error } = await simulatedExport(into, { users, full: false });
      if (error !== undefined) throw error as Error;
      const restored = await openArchiveIn(storage, contextOfRun(around));
      const close = (): Promise<void> => Promise.resolve();
      return { served, filesUrl: SERVED_FILES, restored, close };
    });
  } finally {
    await around.storage.close();
  }
}

/** @throws {Violation} the archive is damaged */
export async function simulatedVerify(around: Surroundings): Promise<void> {
  try {
    const archive = await opened(around);
    await expectIntact(archive);
    await expectReadAlike(archive);
  } finally {
    await around.storage.close();
  }
}

/** @throws {Violation} */
export async function expectIntact(archive: Archive): Promise<void> {
  const { problems } = await verifyArchive(archive);
  const [first] = problems;
  if (first) throw new Violation('intact', `${first.path} ${first.detail}`);
}

/**
 * What readers find from the newest snapshot on is what the commits say.
 *
 * @throws {Violation}
 */
export async function expectReadAlike(archive: Archive): Promise<void> {
  const reader = fromSnapshot(archive);
  const different = await retryOnRewrite(() =>
    readConsistently(reader, 'answer', async () => {
      const view = await ArchiveView.of(reader);
      const { number: head = 0 } = view.head ?? {};
      await archive.index.refresh();
      const known = new Set<string>();
      // a session that several spellings of a user list is told once
      let lacking = -view.selection.listedAgain.length;
      for await (const { user, sessions } of view.summaries()) {
        known.add(user);
        const told = sessions.map(({ session, state }) => [session, state]);
        const { sessions: all } = await archive.states.replay(emptyState(user), head);
        const logged = [...all]
          .filter(([session]) => view.selection.hasSession(user, session))
          .map(([session, state]) => [session, summaryOf(state)]);
        lacking += all.size - logged.length;
        if (textOf(told.sort()) !== textOf(logged.sort())) return `sessions of ${user}`;
      }
      if (lacking !== 0) return `${lacking} sessions are told nowhere`;
      const { users } = archive.index;
      return users.find((user) => !known.has(user) && archive.index.through <= head);
    }),
  );
  if (different !== undefined) throw new Violation('read', `another answer: ${different}`);
}

/** Rows count times as big integers. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_, of: unknown) => (typeof of === 'bigint' ? String(of) : of));
}

/** Makes the archive if there is none. */
export async function openedForRun(around: Surroundings): Promise<Archive> {
  const archive = await createOrOpenArchive(around.storage, {
    ...contextOfRun(around),
    baseUrl: API_ORIGIN,
    project: null,
    formats: [around.hasDelta ? 'parquet' : 'jsonl'],
  });
  return sabotaged(around, archive);
}

async function opened(around: Surroundings): Promise<Archive> {
  const archive = await openArchiveIn(around.storage, contextOfRun(around));
  return sabotaged(around, archive);
}

async function rewriting(around: Surroundings) {
  const { signal } = new AbortController();
  return { archive: await opened(around), signal };
}

function clientOf(
  { process, dispatcher, sabotage, logger }: Surroundings,
  pace?: Pace,
): ServiceClient {
  const { clock, random } = process;
  const client = createServiceClient({
    baseUrl: API_ORIGIN,
    apiKey: 'simulated',
    dispatcher,
    rate: RATE,
    pace,
    clock,
    random,
    logger: logger ?? silentLogger,
    traceId: process.name,
  });
  return sabotage.service?.(client, process) ?? client;
}

function sabotaged(around: Surroundings, archive: Archive): Archive {
  const { sabotage, storage } = around;
  sabotage.archive?.(archive, () => archiveOf(storage, archive.identity, contextOfRun(around)));
  return archive;
}

function contextOfRun(around: Surroundings): ContextOptions {
  const { process, processes, logger, terms } = around;
  const { clock, random } = process;
  return {
    clock,
    random,
    processes,
    logger,
    terms,
    tool: TOOL,
    signer: signerOf(around),
    ...FORMATS,
  };
}

function signerOf({ sabotage, signer, process }: Surroundings): CommitSigner | undefined {
  return sabotage.isUnsigned?.(process) === true ? undefined : signer;
}
