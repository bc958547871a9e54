/** Which objects are made to stay, and so carry a retention and the storage class that was asked for. */

/** Housekeeping: written over and removed in the course of things. */
const PASSING = /^_(?:state|leases|intents|staging|quarantine|retired|erasures)\//;

export function isForKeeps(path: string): boolean {
  return !PASSING.test(path);
}
