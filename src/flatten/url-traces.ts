/** What the content hash leaves out about a job's files: the rest of their URLs, and their bytes. */
import type { JobRecord, Verbatim } from '../model/records.js';
import { unknownParameters } from '../model/urls/file-url.js';
import { readingOf } from './job-blocks.js';
import { sha256Hex } from '../base/digest.js';

/** From `parameterKey` to a digest of the parameter's values in all pointers of the job, in order. */
export type UrlTraces = Readonly<Record<string, string>>;

/** For a host and a parameter of its URLs; the values may be secrets, and the name may identify somebody. */
function parameterKey(host: string, name: string): string {
  return sha256Hex(JSON.stringify([host, name])).slice(0, 16);
}

/** The key for the names of the parameters and their order; no parameter has this name. */
const ORDER = '\u0000order';

/**
 * The parameters that no presigning scheme covers: any of them may name the file, or change with every
 * read. Null where there are none.
 */
export function urlTraces(job: Verbatim<JobRecord>): UrlTraces | null {
  const values = new Map<string, unknown[]>();
  const note = (host: string, name: string, ...what: unknown[]) => {
    const key = parameterKey(host, name);
    const known = values.get(key);
    if (known) known.push(what);
    else values.set(key, [what]);
  };
  readingOf(job).places.forEach(({ slot, url }, place) => {
    const unknown = slot && url !== null ? unknownParameters(url) : undefined;
    if (!unknown || unknown.parameters.length === 0) return;
    const { host, parameters, isPresigned } = unknown;
    note(host, ORDER, place, isPresigned, ...parameters.map(({ name }) => name));
    for (const { name, value } of parameters) note(host, name, place, value);
  });
  if (values.size === 0) return null;
  const sorted = [...values].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    sorted.map(([key, all]) => [key, sha256Hex(JSON.stringify(all)).slice(0, 32)]),
  );
}

/** The keys in which two differ; none if they are equal. */
export function differingParameters(a: UrlTraces | null, b: UrlTraces | null): string[] {
  const keys = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})]);
  return [...keys].filter((key) => a?.[key] !== b?.[key]);
}
