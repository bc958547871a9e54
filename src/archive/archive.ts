/** An open archive: its storage, its identity, its log, and what is derived from the log. */
import type { Clock, Random } from '../base/runtime.js';
import { UsageError } from '../base/error.js';
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

export interface Archive {
  readonly storage: Storage;
  readonly identity: ArchiveIdentity;
  readonly log: CommitLog;
  readonly index: LogIndex;
  readonly states: StateStore;
  readonly delta: DeltaTables;
}

export interface ArchiveDependencies {
  /** Stamps commits. */
  readonly clock: Clock;
  /** Makes nonces. */
  readonly random: Random;
  /** Signs commits; default: commits are not signed. */
  readonly signer?: CommitSigner | undefined;
}

export function archiveOf(
  storage: Storage,
  identity: ArchiveIdentity,
  dependencies: ArchiveDependencies,
): Archive {
  const { clock, random, signer } = dependencies;
  const log = new CommitLog({ storage, identity, clock, random, signer });
  const index = new LogIndex(storage, log);
  const states = new StateStore(storage, log, index);
  return {
    storage,
    identity,
    log,
    index,
    states,
    delta: new DeltaTables(storage, identity, index),
  };
}

/**
 * The same archive for those who only read: its index begins with the newest snapshot. What cannot be taken back must not
 * rest on it.
 */
export function forReading(archive: Archive): Archive {
  const { storage, log } = archive;
  const index = new LogIndex(storage, log, new SnapshotReader(storage, log));
  return { ...archive, index, states: new StateStore(storage, log, index) };
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
