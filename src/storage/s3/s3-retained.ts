/** Which objects are made to stay, and so carry a retention and the storage class that was asked for. */

/** Housekeeping: written over and removed in the course of things. */
const EPHEMERAL = /^_(?:state|leases|intents|staging|quarantine|retired|erasures)\//;

export function isRetained(path: string): boolean {
  return !EPHEMERAL.test(path);
}
