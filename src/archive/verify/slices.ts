/**
 * Chooses the files to read back: all, a random sample, or a slice by SHA-256, of which a small object keeps when each
 * was last read back.
 */
import { z } from 'zod';
import { jsonIn } from '../../base/text/parse-json.js';
import { type Storage } from '../../storage/storage.js';
import { getIfThere } from '../../storage/small-objects.js';
import type { LogIndex } from '../log/log-index.js';
import { SLICES_PATH } from '../paths.js';

export interface Slice {
  /** From 1. */
  readonly nth: number;
  readonly of: number;
}

/** How many slices `_slices.json` keeps. */
export const SLICES = 30;

const record = z.strictObject({
  format: z.literal(1),
  through: z.int().nonnegative(),
  through_digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  slices: z
    .array(z.strictObject({ checked_at: z.iso.datetime().nullable(), damaged: z.boolean() }))
    .length(SLICES),
});

export interface SliceRecord {
  /** The newest commit of which everything was read back at least once; 0 for none. */
  readonly through: number;
  readonly throughDigest: string | null;
  /** The check of each slice, from the first on. */
  readonly slices: readonly SliceCheck[];
}

export interface SliceCheck {
  /** Milliseconds since 1970; undefined if it was never read back. */
  readonly atMs: number | undefined;
  /** Whether something in it was damaged when it was last read; the next check reads it again. */
  readonly isDamaged: boolean;
}

const NOTHING_CHECKED: SliceRecord = {
  through: 0,
  throughDigest: null,
  slices: Array.from({ length: SLICES }, () => ({ atMs: undefined, isDamaged: false })),
};

/** The slice of an object, from 1. */
export function sliceOf({ sha256 }: { readonly sha256: string }, of: number): number {
  return (parseInt(sha256.slice(0, 12), 16) % of) + 1;
}

/** The record, and its bytes, which an update replaces; none if there is none that can be read. */
export async function readSlices(
  storage: Storage,
): Promise<{ readonly record: SliceRecord | undefined; readonly bytes: Uint8Array | undefined }> {
  const bytes = await getIfThere(storage, SLICES_PATH);
  return { record: bytes && decode(bytes), bytes };
}

/**
 * What of a record may be believed: nothing if it is of another log or of one that was cut, and no date that is still to
 * come. Somebody who may write can still put false dates of the past.
 *
 * @param index read up to the newest commit
 */
export function credible(
  found: SliceRecord | undefined,
  index: LogIndex,
  nowMs: number,
): SliceRecord {
  if (!found) return NOTHING_CHECKED;
  const { through, throughDigest, slices } = found;
  if (through > index.through || index.digestOf(through) !== throughDigest) return NOTHING_CHECKED;
  const past = ({ atMs, isDamaged }: SliceCheck): SliceCheck => {
    return { atMs: atMs !== undefined && atMs <= nowMs ? atMs : undefined, isDamaged };
  };
  return { through, throughDigest, slices: slices.map(past) };
}

/** What a record says to people. */
export interface SliceFacts {
  /** The slices in which something is damaged, from 1, in order. */
  readonly damaged: readonly number[];
  /** When the slice that was read longest ago was read; ISO 8601. Null if one never was. */
  readonly oldest: string | null;
  /** The newest commit of which everything was read: what came later was not. */
  readonly through: number;
}

export function sliceFacts({ slices, through }: SliceRecord): SliceFacts {
  const oldestMs = slices.reduce<number | undefined>(
    (least, { atMs }) =>
      least === undefined || atMs === undefined ? undefined : Math.min(least, atMs),
    Infinity,
  );
  return {
    damaged: slices.flatMap(({ isDamaged }, index) => (isDamaged ? [index + 1] : [])),
    oldest: oldestMs === undefined ? null : new Date(oldestMs).toISOString(),
    through,
  };
}

/**
 * The slices to read back now, so that each is read within the time if checks go on as often as they have.
 *
 * Damaged ones and those never read are always among them. Of the others, as many as go with the time since the last
 * check, the oldest first: after a pause several.
 */
export function dueSlices({ slices }: SliceRecord, withinMs: number, nowMs: number): Set<number> {
  const checks = slices.map((check, index) => ({ ...check, nth: index + 1 }));
  const due = new Set<number>();
  for (const { nth, atMs, isDamaged } of checks) if (isDamaged || atMs === undefined) due.add(nth);
  const read = checks.flatMap(({ nth, atMs }) => (atMs === undefined ? [] : [{ nth, atMs }]));
  const lastMs = read.reduce((newest, { atMs }) => Math.max(newest, atMs), 0);
  const pauseMs = nowMs - lastMs;
  const share = Math.round((SLICES * pauseMs) / withinMs);
  const oldest = read.sort((a, b) => a.atMs - b.atMs || a.nth - b.nth);
  for (const [index, { nth, atMs }] of oldest.entries()) {
    if (index < share || nowMs - atMs + pauseMs > withinMs) due.add(nth);
  }
  return due;
}

interface CheckedSlices {
  /** The record on which the choice of slices rests. */
  readonly before: SliceRecord;
  /** What was found there when it was chosen; replaced only if it is still there. */
  readonly bytes: Uint8Array | undefined;
  readonly after: SliceRecord;
}

/** Another check may have ended meanwhile: of each slice the newer check counts, and damage that it has found stays. */
export async function saveSlices(
  storage: Storage,
  { before, bytes, after }: CheckedSlices,
  believed: (found: SliceRecord | undefined) => Promise<SliceRecord>,
): Promise<void> {
  let seen = bytes;
  let saved = after;
  for (;;) {
    const encoded = encode(saved);
    const isDone = seen
      ? await storage.compareAndSwap(SLICES_PATH, seen, encoded)
      : await storage.putIfAbsent(SLICES_PATH, encoded);
    if (isDone) return;
    const found = await readSlices(storage);
    seen = found.bytes;
    saved = merged(before, after, await believed(found.record));
  }
}

function merged(before: SliceRecord, ours: SliceRecord, theirs: SliceRecord): SliceRecord {
  const newer = theirs.through > ours.through ? theirs : ours;
  const slices = ours.slices.map((own, index): SliceCheck => {
    const other = theirs.slices[index] ?? own;
    const isNewDamage = other.isDamaged && before.slices[index]?.isDamaged === false;
    const last = (other.atMs ?? -1) > (own.atMs ?? -1) ? other : own;
    return { atMs: last.atMs, isDamaged: last.isDamaged || isNewDamage };
  });
  return { through: newer.through, throughDigest: newer.throughDigest, slices };
}

function encode({ through, throughDigest, slices }: SliceRecord): Uint8Array {
  const shown: z.infer<typeof record> = {
    format: 1,
    through,
    through_digest: throughDigest,
    slices: slices.map(({ atMs, isDamaged }) => {
      const checkedAt = atMs === undefined ? null : new Date(atMs).toISOString();
      return { checked_at: checkedAt, damaged: isDamaged };
    }),
  };
  return Buffer.from(`${JSON.stringify(shown, null, 1)}\n`);
}

function decode(bytes: Uint8Array): SliceRecord | undefined {
  const parsed = record.safeParse(jsonIn(Buffer.from(bytes).toString()));
  if (!parsed.success) return undefined;
  const { through, through_digest: throughDigest, slices } = parsed.data;
  return {
    through,
    throughDigest,
    slices: slices.map(({ checked_at: at, damaged: isDamaged }) => {
      return { atMs: at === null ? undefined : Date.parse(at), isDamaged };
    }),
  };
}
