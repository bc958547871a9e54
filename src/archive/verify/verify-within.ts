/** Verifies an archive a slice at a time, so that every object is read back within a given time; and beside that, a part of it. */
import type { Archive } from '../archive.js';
import { type LogFindings } from './verify-log.js';
import { sha256OfArtifact } from '../paths.js';
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
import { chosenObjects, namedSince, type IsChosen } from './chosen-files.js';
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
  const choose = (log: LogFindings): IsChosen | undefined => {
    before = credible(record, log.index, nowMs);
    due = dueSlices(before, withinMs, nowMs);
    if (due.size === SLICES) return undefined;
    const isNew = namedSince(log, before.through);
    return (object) => isNew(object) || due.has(sliceOf(object, SLICES));
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
  const choose = (log: LogFindings): IsChosen | undefined => {
    const isDrawn = chosenObjects(options, log);
    const { slices } = credible(record, log.index, clock.now());
    const isDamaged: IsChosen = (object) => slices[sliceOf(object, SLICES) - 1]?.isDamaged === true;
    return isDrawn && ((object) => isDrawn(object) || isDamaged(object));
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
  const { files } = index.contents;
  const damaged = new Set<number>();
  for (const { path } of problems) {
    const sha256 = files.get(path)?.sha256 ?? sha256OfArtifact(path);
    if (sha256 !== undefined) damaged.add(sliceOf({ sha256 }, SLICES));
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
