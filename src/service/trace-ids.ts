/** The trace ids of requests, with which the service's operator can find them. */
import { LIMITS } from '../model/records.js';

/** `<prefix>-1`, `<prefix>-2`, …; the prefix is cut if the id would be too long for the header. */
export function traceIds(prefix: string): () => string {
  const printable = prefix.replace(/[^\x21-\x7e]/g, '_');
  let count = 0;
  return () => {
    const suffix = `-${++count}`;
    return printable.slice(0, LIMITS.traceIdLength - suffix.length) + suffix;
  };
}
