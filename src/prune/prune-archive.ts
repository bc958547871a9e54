/** Deleting in one call: opens the archive and the service, prunes, and closes both again. */
import type { Archive } from '../archive/archive.js';
import type { CommitSigner } from '../archive/log/commit-signer.js';
import { openArchive, openArchiveIfThere } from '../archive/open-archive.js';
import { createArtifactFetcher } from '../artifacts/fetcher.js';
import { privateNetworkOf } from '../artifacts/guard.js';
import type { Clock } from '../base/clock.js';
import { silentLogger, withFields, type Logger } from '../base/logger.js';
import type { ProxySettings } from '../base/proxy.js';
import { systemRandom, type Random } from '../base/random.js';
import { systemClock } from '../base/system-clock.js';
import { silentTracer, type Tracer } from '../base/tracer.js';
import { ulid } from '../base/ulid.js';
import { UsageError } from '../base/usage-error.js';
import { TOOL, VERSION } from '../base/version.js';
import type { RowFormat } from '../formats/format.js';
import { rowFormats } from '../formats/formats.js';
import { createServiceClient } from '../service/create-service-client.js';
import { asRunId, type RunId } from '../model/ids.js';
import { systemProcesses } from '../base/process-identity.js';
import { openStorage, type StorageOptions } from '../storage/open-storage.js';
import type { Storage } from '../storage/storage.js';
import type { ChooserOptions } from './chooser.js';
import { planPrune, type PrunePlan } from './plan-prune.js';
import { choosesSessions, pruneRules, type PruneRules } from './prune-rules.js';
import type { PruneSummary } from './prune-summary.js';
import { runPrune, type PruneResult } from './run-prune.js';
import { assertUsable, holdsOf, type SavedPlan } from './saved-plan.js';

export interface PlanArchiveOptions {
  /** A directory. */
  readonly archive: string;
  /** How the archive's place is reached. */
  readonly storage?: StorageOptions | undefined;
  /** Default: everything that may go is planned. */
  readonly rules?: Partial<PruneRules> | undefined;
  /** Given to be compared with the archive's; a plan asks the service nothing. */
  readonly baseUrl?: string | undefined;
  readonly project?: string | undefined;
  readonly logger?: Logger | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: Random | undefined;
}

export interface PruneArchiveOptions extends PlanArchiveOptions {
  /** `https://host[:port][/prefix]`: the one that the archive is bound to. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Default `x-pd-api-key`. */
  readonly apiKeyHeader?: string | undefined;
  /** Carried out instead of rules: its own are checked afresh, with the holds and the limit given here. */
  readonly plan?: SavedPlan | undefined;
  /** A sentence why a session may not go; undefined where nothing is against it. */
  readonly veto?: ChooserOptions['veto'];
  /** Sessions that are meant at all. Default: every one that the rules select. */
  readonly selects?: ChooserOptions['selects'];
  /** A user or a session that is named and not in the archive: a mistake (the default), or nothing to do. */
  readonly strangers?: ChooserOptions['strangers'];
  /**
   * Asked with what would go, before anything is deleted, unless that is nothing. Only what it has been
   * shown goes. Default: nobody is asked.
   */
  readonly confirm?: ((plan: PruneSummary) => Promise<boolean>) | undefined;
  /** Of a file that is fetched to be compared. Default 1 GiB. */
  readonly maxFileBytes?: number | undefined;
  /** Files fetched at a time. Default 8. */
  readonly fileConcurrency?: number | undefined;
  /** Where bare storage keys of files are looked up. */
  readonly storageBaseUrl?: string | undefined;
  /** Fetch files from private addresses, too. Default false. */
  readonly allowPrivateNetwork?: boolean | undefined;
  /** How the service and the file hosts are reached; default: directly. */
  readonly proxy?: ProxySettings | undefined;
  /** API requests a second. Default 20. */
  readonly rate?: number | undefined;
  /** Asked for at first; the service may grant fewer. Default 100. */
  readonly pageSize?: number | undefined;
  /** End rather than wait where another run is at work on a user. Default false. */
  readonly noWait?: boolean | undefined;
  /** Signs the commits. Default: nobody does. */
  readonly signer?: CommitSigner | undefined;
  /** Told what the run is doing at every moment. Default: nobody is. */
  readonly tracer?: Tracer | undefined;
  /** A ULID of the caller's own, for its log. Default: a new one. */
  readonly runId?: string | undefined;
}

const DEFAULTS = { rate: 20, pageSize: 100 } as const;

/**
 * What could be deleted, and why not the rest. Changes nothing, here or there.
 *
 * @throws {UsageError} there is no such archive, user or session, or it is another service's
 * @throws {IntegrityError} the log is damaged
 */
export async function planArchivePrune(options: PlanArchiveOptions): Promise<PrunePlan> {
  const { logger = silentLogger, signal = new AbortController().signal } = options;
  const { clock = systemClock, random = systemRandom } = options;
  const storage = openStorage(options.archive, options.storage);
  try {
    const archive = await openBound(storage, { ...options, clock, random });
    const rules = pruneRules(options.rules ?? {});
    const formats = knownFormats();
    return await planPrune({ archive, formats, rules, clock, random, logger, signal });
  } finally {
    await storage.close();
  }
}

/**
 * Deletes from the service what the rules select and the archive provably holds.
 *
 * @throws {UsageError} as `planArchivePrune`; no rule chooses, or the plan has expired
 */
export async function pruneArchive(options: PruneArchiveOptions): Promise<PruneResult> {
  const { clock = systemClock, random = systemRandom, tracer = silentTracer } = options;
  const run = asRunId(options.runId ?? ulid(clock, random));
  return tracer.span('run', { command: 'prune', run }, () => pruneAs(run, options));
}

async function pruneAs(run: RunId, options: PruneArchiveOptions): Promise<PruneResult> {
  const { clock = systemClock, random = systemRandom, plan, tracer } = options;
  const logger = withFields(options.logger ?? silentLogger, { run });
  const { veto, selects, strangers } = options;
  const signal = options.signal ?? new AbortController().signal;
  const chosen = { rules: rulesOf(options), plan, veto, selects, strangers };
  const world = { formats: knownFormats(), clock, random, logger, signal };
  const storage = openStorage(options.archive, options.storage);
  try {
    const archive = await openBound(storage, { ...options, clock, random });
    if (plan) assertUsable(plan, archive.identity, clock.now());
    const { confirm } = options;
    const asked = confirm && (await planPrune({ archive, ...chosen, ...world }));
    if (asked && asked.summary.planned > 0 && !(await confirm(asked.summary))) {
      const summary: PruneSummary = { ...asked.summary, run, status: 'declined' };
      return { summary, error: undefined, failures: new Set() };
    }
    // without the signal: a DELETE that was sent is followed to its end
    const clients = { clock, random, logger, tracer, userAgent: `jobvault/${VERSION}` };
    const service = createServiceClient({
      ...clients,
      traceId: `jobvault-${run}`,
      baseUrl: options.baseUrl,
      apiKey: options.apiKey,
      apiKeyHeader: options.apiKeyHeader,
      rate: options.rate ?? DEFAULTS.rate,
      proxy: options.proxy,
    });
    const fetcher = createArtifactFetcher({
      ...clients,
      storage,
      proxy: options.proxy,
      concurrency: options.fileConcurrency,
      maxFileBytes: options.maxFileBytes,
      storageBaseUrl: options.storageBaseUrl,
      allowPrivateNetwork:
        options.allowPrivateNetwork === true || privateNetworkOf(options.baseUrl),
    });
    try {
      return await runPrune({
        run,
        archive,
        service,
        fetcher,
        ...chosen,
        ...world,
        tool: TOOL,
        agreed: asked?.saved,
        leases: { processes: systemProcesses, noWait: options.noWait ?? false },
        pageSize: options.pageSize ?? DEFAULTS.pageSize,
      });
    } finally {
      await Promise.all([service.close(), fetcher.close()]);
    }
  } finally {
    await storage.close();
  }
}

function knownFormats(): readonly RowFormat[] {
  return rowFormats({ parquet: { codec: 'zstd' } });
}

/** A plan brings its own; holds and the limit are added to them. @throws {UsageError} */
function rulesOf({ plan, rules: said = {} }: PruneArchiveOptions): PruneRules {
  const rules = pruneRules(said);
  if (!plan) {
    if (choosesSessions(rules)) return rules;
    throw new UsageError(
      'nothing says which sessions are to be deleted; give a rule (--older-than, --keep, --free-slots, --session) or --all',
    );
  }
  if (choosesSessions(rules) || rules.users.length > 0) {
    throw new UsageError(
      'a plan brings its own rules; beside it only --hold-file and --max-delete are allowed',
    );
  }
  const { older_than_ms: olderThanMs, keep, free_slots: freeSlots } = plan.rules;
  return {
    ...rules,
    holds: rules.holds.with(holdsOf(plan)),
    olderThanMs: olderThanMs ?? undefined,
    keep: keep ?? undefined,
    freeSlots: freeSlots ?? undefined,
  };
}

type Bound = PlanArchiveOptions & Pick<PruneArchiveOptions, 'signer'> & Dependencies;
interface Dependencies {
  readonly clock: Clock;
  readonly random: Random;
}

/** @throws {UsageError} there is no archive, or it is that of another service or project */
async function openBound(storage: Storage, options: Bound): Promise<Archive> {
  const { baseUrl, clock, random, signer } = options;
  const dependencies = { clock, random, signer };
  if (baseUrl === undefined) return openArchive(storage, dependencies);
  const wanted = { baseUrl, project: options.project ?? null, formats: undefined, tool: TOOL };
  const archive = await openArchiveIfThere(storage, { ...wanted, ...dependencies });
  return archive ?? openArchive(storage, dependencies);
}
