/** Verifies an archive a slice at a time, so that every object is read back within a given time; and beside that, a part of it. */
import type { Archive } from '../archive.js';
import { type LogFindings } from './verify-log.js';
import { IntegrityError } from '../archive-errors.js';
import {
  credible,
  dueSlices,
  readSlices,
  saveSlices,
  SLICES,
  sliceFacts,
  sliceOf,
  type SliceCheck,
  type SliceFacts,
  type SliceRecord,
} from './slices.js';
import { messageOf } from '../../base/error.js';
import { StorageError } from '../../storage/storage-errors.js';
import { chosenPaths } from './chosen-files.js';
import { type VerifyReport, type VerifyOptions, inspectArchive, verifyArchive } from './verify.js';

export interface WithinOptions extends Omit<VerifyOptions, 'sample' | 'slice' | 'choose'> {
  /** In which every object is to be read back; milliseconds. */
  readonly withinMs: number;
}

export interface SlicesReport extends SliceFacts {
  /** The slices that were read back, from 1, in order; beside them what no check had read since it was committed. */
  readonly read: readonly number[];
  readonly of: number;
  /** Why the next check cannot know what this one has read; null where it can. */
  readonly unrecorded: string | null;
}

/**
 * The log is verified whole; presence and size of every object, too. Nothing is recorded while the log itself is damaged.
 *
 * @throws {StorageError} the storage cannot be read
 * @throws the signal's reason, when it is aborted
 */
export async function verifyWithin(
  archive: Archive,
  options: WithinOptions,
): Promise<VerifyReport & { readonly slices: SlicesReport }> {
  const { withinMs, ...given } = options;
  const { storage, clock } = archive;
  const nowMs = clock.now();
  const { record, bytes } = await readSlices(storage);
  let before = credible(undefined, archive.index, nowMs);
  let due = new Set<number>();
  const choose = async (log: LogFindings): Promise<ReadonlySet<string> | undefined> => {
    before = credible(record, log.index, nowMs);
    due = dueSlices(before, withinMs, nowMs);
    if (due.size === SLICES) return undefined;
    const isNew = await pathsSince(archive, log, before.through);
    const { files, artifacts } = log.index.contents;
    const chosen = [...files.values(), ...artifacts.values()].filter(
      (entry) => isNew.has(entry.path) || due.has(sliceOf(entry, SLICES)),
    );
    return new Set(chosen.map(({ path }) => path));
  };
  const { report, log } = await inspectArchive(archive, { ...given, choose });
  const after = checked(before, { due, log, report, nowMs });
  const read = [...due].sort((a, b) => a - b);
  let unrecorded: string | null = 'the log is damaged';
  if (log.isSound) {
    unrecorded = await saveSlices(storage, { before, bytes, after }, believedIn(archive)).then(
      () => null,
      (error: unknown) => messageOf(error),
    );
  }
  return { ...report, slices: { read, of: SLICES, unrecorded, ...sliceFacts(after) } };
}

/**
 * Verifies an archive that is also verified a slice at a time: damage that a check has found stays known until its
 * slice has been read whole, and what reads a random sample, or a part by itself, reads damaged slices, too. Where nobody verifies in slices, or
 * the caller may only read, nothing is written.
 *
 * @throws as `verifyArchive`
 */
export async function verifyBesideSlices(
  archive: Archive,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const { storage, clock } = archive;
  const { record, bytes } = await readSlices(storage);
  if (!record) return verifyArchive(archive, options);
  const choose = async (log: LogFindings): Promise<ReadonlySet<string> | undefined> => {
    const drawn = await chosenPaths(options, log);
    const { slices } = credible(record, log.index, clock.now());
    const isDamaged = (entry: { readonly sha256: string }) =>
      slices[sliceOf(entry, SLICES) - 1]?.isDamaged === true;
    const { files, artifacts } = log.index.contents;
    const known = [...files.values(), ...artifacts.values()].filter(isDamaged);
    return drawn && new Set([...drawn, ...known.map(({ path }) => path)]);
  };
  const { report, log } = await inspectArchive(archive, { ...options, choose });
  const before = credible(record, log.index, clock.now());
  const damaged = damagedSlices(report, log);
  if (!log.isSound || [...damaged].every((nth) => before.slices[nth - 1]?.isDamaged)) return report;
  const slices = before.slices.map((check, index) =>
    damaged.has(index + 1) ? { ...check, isDamaged: true } : check,
  );
  const believed = believedIn(archive);
  await saveSlices(storage, { before, bytes, after: { ...before, slices } }, believed).catch(
    (error: unknown) => {
      // a caller who may only read: the report has the damage, and only its note for the next check is missing
      if (!(error instanceof StorageError)) throw error;
    },
  );
  return report;
}

interface Checked {
  readonly due: ReadonlySet<number>;
  readonly log: LogFindings;
  readonly report: VerifyReport;
  readonly nowMs: number;
}

/** What may be believed of a record that another check has left meanwhile. */
function believedIn({ index, clock }: Archive) {
  return async (found: SliceRecord | undefined): Promise<SliceRecord> => {
    await index.refresh();
    return credible(found, index, clock.now());
  };
}

function damagedSlices({ problems }: VerifyReport, { index }: LogFindings): ReadonlySet<number> {
  const { files, artifacts } = index.contents;
  const damaged = new Set<number>();
  for (const { path } of problems) {
    const entry = files.get(path) ?? artifacts.get(path);
    if (entry) damaged.add(sliceOf(entry, SLICES));
  }
  return damaged;
}

function checked(before: SliceRecord, { due, log, report, nowMs }: Checked): SliceRecord {
  const damaged = damagedSlices(report, log);
  return {
    through: log.newest,
    throughDigest: log.index.digestOf(log.newest),
    slices: before.slices.map((check, index): SliceCheck => {
      const nth = index + 1;
      const atMs = due.has(nth) ? nowMs : check.atMs;
      return { atMs, isDamaged: damaged.has(nth) || (check.isDamaged && !due.has(nth)) };
    }),
  };
}

/** The paths of content that commits after the number name: no check has read it yet. */
async function pathsSince(
  { log }: Archive,
  { numbers }: LogFindings,
  through: number,
): Promise<ReadonlySet<string>> {
  const paths = new Set<string>();
  for (const number of numbers) {
    if (number <= through) continue;
    try {
      const { files, artifacts } = await log.read(number);
      for (const { path } of [...files, ...artifacts]) paths.add(path);
    } catch (error) {
      // the report names it
      if (!(error instanceof IntegrityError)) throw error;
    }
  }
  return paths;
}
