/** An open archive: its storage, its identity, its log, what is derived from the log, and what it works with. */
import { runtimeOf, type Runtime } from '../base/runtime.js';
import { UsageError } from '../base/error.js';
import { systemProcesses, type Processes } from '../base/process-identity.js';
import { TOOL } from '../base/version.js';
import type { RowFormat } from '../formats/format.js';
import { formatsNamed, rowFormats } from '../formats/formats.js';
import { TABLE_NAMES } from '../model/tables.js';
import type { Storage } from '../storage/storage.js';
import type { FileEntry } from './log/commit.js';
import { CommitLog } from './log/commit-log.js';
import type { CommitSigner } from './log/signing.js';
import type { Contents } from './log/contents.js';
import { DeltaTables } from './delta/delta-tables.js';
import type { ArchiveIdentity } from './identity.js';
import { LogIndex } from './log/log-index.js';
import { SnapshotReader } from './snapshots/snapshot-reader.js';
import { StateStore } from './state/state-store.js';

/** What an archive works with: given when it is opened, and not again to an operation. */
export interface ArchiveContext extends Omit<Runtime, 'signal'> {
  /** Knows which processes are dead. */
  readonly processes: Processes;
  /** Name and version, for commits: `jobvault 0.1.0`. */
  readonly tool: string;
  /** Undefined: commits are not signed. */
  readonly signer: CommitSigner | undefined;
  /** Loads all row formats that this version knows, with the settings for new files. */
  readonly knownFormats: () => Promise<readonly RowFormat[]>;
}

/** Default: the clock, the randomness and the processes of this machine; nothing is logged, traced or signed. */
export type ContextOptions = {
  readonly [K in keyof ArchiveContext]?: ArchiveContext[K] | undefined;
};

export interface Archive extends ArchiveContext {
  readonly storage: Storage;
  readonly identity: ArchiveIdentity;
  readonly log: CommitLog;
  readonly index: LogIndex;
  readonly states: StateStore;
  readonly delta: DeltaTables;
}

/** What reads an archive is given it, and may be stopped. */
export interface ArchiveReading {
  readonly archive: Archive;
  readonly signal?: AbortSignal | undefined;
}

/** What takes longer, or writes, can always be stopped. */
export interface ArchiveTask extends ArchiveReading {
  readonly signal: AbortSignal;
}

export function contextOf(options: ContextOptions): ArchiveContext {
  const { clock, random, logger, terms } = runtimeOf(options);
  return {
    clock,
    random,
    logger,
    terms,
    processes: options.processes ?? systemProcesses,
    tool: options.tool ?? TOOL,
    signer: options.signer,
    knownFormats: options.knownFormats ?? (() => rowFormats()),
  };
}

export function archiveOf(
  storage: Storage,
  identity: ArchiveIdentity,
  options: ContextOptions = {},
): Archive {
  const context = contextOf(options);
  const log = new CommitLog({ ...context, storage, identity });
  const index = new LogIndex(storage, log);
  const states = new StateStore(storage, log, index);
  return {
    ...context,
    storage,
    identity,
    log,
    index,
    states,
    delta: new DeltaTables(storage, identity, { index, whole: index }),
  };
}

/**
 * The same archive for those who only read: its index begins with the newest snapshot. What cannot be taken back must not
 * rest on it.
 *
 * @param newest what it begins with takes no later commit into account: for those who ask what was there at that one
 */
export function fromSnapshot(archive: Archive, newest?: number): Archive {
  const { storage, identity, log } = archive;
  const index = new LogIndex(storage, log, new SnapshotReader(storage, log, newest));
  const states = new StateStore(storage, log, index);
  const delta = new DeltaTables(storage, identity, { index, whole: archive.index });
  return { ...archive, index, states, delta };
}

/** Loads the formats of the archive whose rows can be read back, in order. */
export async function rowFormatsOf({
  identity,
  knownFormats,
}: Archive): Promise<readonly RowFormat[]> {
  return formatsNamed(identity.formats, await knownFormats());
}

/** The contents as of the newest commit. @throws {IntegrityError} */
export async function currentContents(archive: Archive): Promise<Contents> {
  await archive.index.refresh();
  return archive.index.contents;
}

/**
 * A table's part files in the newest commit, ordered by path.
 *
 * @throws {UsageError} there is no such table
 * @throws {IntegrityError}
 */
export async function filesOfTable(archive: Archive, table: string): Promise<FileEntry[]> {
  if (!TABLE_NAMES.includes(table)) {
    throw new UsageError(`there is no table "${table}"; allowed is ${TABLE_NAMES.join(', ')}`);
  }
  const { files } = await currentContents(archive);
  return [...files.values()]
    .filter((file) => file.table === table)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}
