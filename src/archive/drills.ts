/** The record of drills: when the archive was restored from itself, and with what outcome. For people; nothing depends on it. */
import { z } from 'zod';
import { parseJson } from '../base/text/parse-json.js';
import { getIfThere } from '../storage/get-if-there.js';
import type { Storage } from '../storage/storage.js';
import { DRILLS_PATH } from './paths.js';

const count = z.int().nonnegative();
const drill = z.strictObject({
  at: z.iso.datetime(),
  commit: count,
  sample: z.number(),
  sessions: count,
  jobs: count,
  rows: count,
  files: count,
  known_gaps: count,
  differences: count,
});
const record = z.strictObject({ format: z.literal(1), drills: z.array(drill) });

export type DrillRecord = z.infer<typeof drill>;

/** Enough for ten years of monthly drills. */
const KEPT = 120;

/** The oldest first. A record that cannot be read has none. */
export async function readDrills(storage: Pick<Storage, 'get'>): Promise<readonly DrillRecord[]> {
  const bytes = await getIfThere(storage, DRILLS_PATH);
  return bytes ? decode(bytes) : [];
}

/** Of two drills that end at the same time both are kept. */
export async function addDrill(storage: Storage, made: DrillRecord): Promise<void> {
  for (;;) {
    const before = await getIfThere(storage, DRILLS_PATH);
    const drills = [...(before ? decode(before) : []), made].slice(-KEPT);
    const bytes = Buffer.from(`${JSON.stringify({ format: 1, drills }, null, 1)}\n`);
    const isDone = before
      ? await storage.compareAndSwap(DRILLS_PATH, before, bytes)
      : await storage.putIfAbsent(DRILLS_PATH, bytes);
    if (isDone) return;
  }
}

function decode(bytes: Uint8Array): readonly DrillRecord[] {
  try {
    return record.parse(parseJson(Buffer.from(bytes).toString())).drills;
  } catch {
    return [];
  }
}
