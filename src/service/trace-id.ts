/** What each request is called towards the service, so that its operator can find it. */
import { LIMITS } from '../model/records.js';

/** `<prefix>-1`, `<prefix>-2`, …; the prefix is cut where the whole would be longer than a header may be. */
export function traceIds(prefix: string): () => string {
  const printable = prefix.replace(/[^\x21-\x7e]/g, '_');
  let count = 0;
  return () => {
    const suffix = `-${++count}`;
    return printable.slice(0, LIMITS.traceIdLength - suffix.length) + suffix;
  };
}
