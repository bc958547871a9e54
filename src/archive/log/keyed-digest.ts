/** Digests of ids with a key of the log: whoever has the log can test an id that they know, and learns none from them. */
import { createHmac } from 'node:crypto';
import type { Random } from '../../base/runtime.js';
import { rowId } from '../../model/ids.js';
import { foldedUser } from '../../model/user-spelling.js';

/** The key has 256 bits. */
const KEY_BYTES = 32;

/** A new key, in hexadecimal. */
export function newDigestKey(random: Random): string {
  return Buffer.from(random.bytes(KEY_BYTES)).toString('hex');
}

/** Equal for every spelling of a user. @param key in hexadecimal */
export function keyedDigest(key: string, subject: 'user' | 'session' | 'job', id: string): string {
  const form = subject === 'user' ? foldedUser(id) : rowId(id);
  return createHmac('sha256', Buffer.from(key, 'hex')).update(`${subject}\0${form}`).digest('hex');
}
