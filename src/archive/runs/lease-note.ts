/** The content of a lease: its holder, and a beat that shows that the holder lives. */
import { z } from 'zod';
import { parseJson } from '../../base/text/parse-json.js';
import type { RunId } from '../../model/ids.js';
import type { ProcessIdentity } from '../../base/process-identity.js';

export interface LeaseNote extends ProcessIdentity {
  readonly run: RunId;
  /** New with each acquisition: the same run may hold the same lease twice, one after the other. */
  readonly nonce: string;
  /** Grows with every renewal. */
  readonly beat: number;
}

const noteSchema = z.object({
  run: z.string() as unknown as z.ZodType<RunId>,
  host: z.string(),
  boot: z.string(),
  pid: z.int(),
  started: z.string(),
  nonce: z.string(),
  beat: z.int(),
});

export function encodeLeaseNote(note: LeaseNote): Uint8Array {
  return Buffer.from(`${JSON.stringify(note)}\n`);
}

/** Undefined if the bytes are not a lease: then it is taken over after one term. */
export function decodeLeaseNote(bytes: Uint8Array): LeaseNote | undefined {
  try {
    return noteSchema.parse(parseJson(Buffer.from(bytes).toString()));
  } catch {
    return undefined;
  }
}
