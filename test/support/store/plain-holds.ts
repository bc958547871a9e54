/** Holds as a file of ids has them: each id of a user or a session on a line of its own. */
import { Holds } from '../../../src/archive/holds/holds.js';

/** @param ids of users and sessions */
export function plainHolds(ids: Iterable<string>): Holds {
  return new Holds([...ids].map((id) => ({ readings: [{ id }], source: `the hold "${id}"` })));
}
