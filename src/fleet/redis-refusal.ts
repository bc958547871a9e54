/** Says in words why Redis refuses, and what to do about it. Redis's own text stands behind. */
import type { FailureKind } from '../base/error.js';

export interface Refusal {
  readonly words: string;
  readonly failure: FailureKind;
}

const WRONG_PASSWORD =
  'it refuses the user or the password; give both in --redis as redis://user:password@host (without a user: redis://:password@host)';

/** By the first word of Redis's answer, or what older versions say instead. */
const REFUSALS: readonly (readonly [pattern: RegExp, words: string, failure?: FailureKind])[] = [
  [/^OOM\b/, 'its memory is full; raise its maxmemory, or remove what else it holds'],
  [
    /^(?:MOVED|ASK|CROSSSLOT|CLUSTERDOWN)\b/,
    'it is a node of a cluster, and a queue needs one server; name a Redis that is no cluster',
  ],
  [/^READONLY\b/, 'it is a replica, which cannot be written to; name the primary'],
  [/^MISCONF\b/, 'it cannot save to its own disk and takes no writes; look into its log'],
  [/^LOADING\b/, 'it is still loading its data; try again in a moment'],
  [/^(?:WRONGPASS|NOAUTH)\b/, WRONG_PASSWORD, 'authentication'],
  [/^ERR (?:invalid password|AUTH .*without any)/i, WRONG_PASSWORD, 'authentication'],
  [
    /^NOPERM\b/,
    "its access rules do not let this user work on the queue; allow all commands on the queue's keys",
    'authentication',
  ],
  [/^EXECABORT\b/, 'it has discarded a transaction because it refused a part of it'],
];

/**
 * @param message Redis's answer
 * @param before answers to the commands of the transaction that was discarded, if it was one
 * @returns undefined for anything else
 */
export function refusalOf(message: string, before: readonly string[] = []): Refusal | undefined {
  for (const cause of before) {
    const refusal = refusalOf(cause);
    if (refusal) return refusal;
  }
  const [, words, failure = 'unreachable'] =
    REFUSALS.find(([pattern]) => pattern.test(message)) ?? [];
  return words === undefined ? undefined : { words, failure };
}
