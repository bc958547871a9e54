/**
 * Decides whether a worker may execute a run. The run's record comes from Redis, and everybody with write
 * access to Redis can forge one. So the service, the archive and the archive's options must be those that the
 * worker itself was started with; any other run is refused.
 */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { normaliseBaseUrl } from '../base/http/proxy.js';
import { UsageError } from '../base/error.js';
import { SERVICE_DEFAULTS } from '../service/options.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { parseS3Location, type S3Location } from '../storage/s3/s3-options.js';
import type { RunRecord } from './run-record.js';

/** The worker's own options that a run is checked against. */
export interface WorkerPermissions {
  /** The one service that the key may be sent to. */
  readonly baseUrl: string;
  /** Default `x-pd-api-key`. */
  readonly apiKeyHeader?: string | undefined;
  /** The base URL of files that have only a storage key. */
  readonly storageBaseUrl?: string | undefined;
  /** The archive's location on this machine; a run may name another path for it. */
  readonly out?: string | undefined;
  /** Locations that a run may name, with everything below them. */
  readonly allowOut?: readonly string[] | undefined;
  /** Options of archives in buckets. */
  readonly storage?: StorageOptions | undefined;
}

/** A run's archive as this machine accesses it. */
export interface ArchiveLocation {
  readonly out: string;
  readonly storage: StorageOptions | undefined;
}

/** @throws {UsageError} no location is given, or an invalid one */
export function checkPermissions({ out, allowOut = [] }: WorkerPermissions): void {
  for (const location of [...(out === undefined ? [] : [out]), ...allowOut]) parse(location);
  if (out !== undefined || allowOut.length > 0) return;
  throw new UsageError(
    'this worker may not write to any archive; give --out, or --allow-out for each location that a run may name',
  );
}

/** @throws {UsageError} the run needs what this worker was not started with */
export function authorizeRun(record: RunRecord, own: WorkerPermissions): ArchiveLocation {
  const refuse = (what: string, ours: string): never => {
    throw new UsageError(`run ${record.name} is refused: it ${what}, and this worker ${ours}`);
  };
  if (normaliseBaseUrl(record.base_url) !== normaliseBaseUrl(own.baseUrl)) {
    refuse(`exports from ${record.base_url}`, `has the API key of ${own.baseUrl}`);
  }
  const pairs = [
    ['--api-key-header', record.api_key_header, own.apiKeyHeader ?? SERVICE_DEFAULTS.apiKeyHeader],
    ['--storage-base-url', record.storage_base_url, own.storageBaseUrl ?? null],
  ] as const;
  for (const [flag, theirs, ours] of pairs) {
    if (theirs !== ours) refuse(`has ${flag} ${shown(theirs)}`, `has ${shown(ours)}`);
  }
  const out = ownLocation(record.out, own);
  if (out === undefined) {
    const allowed = [...(own.out === undefined ? [] : [own.out]), ...(own.allowOut ?? [])];
    refuse(`names the archive ${record.out}`, `may write to ${allowed.join(', ')}`);
  }
  if (parse(record.out).kind === 's3') {
    const different = differentOption(record.storage, own.storage);
    if (different) {
      const { flag, theirs, ours } = different;
      refuse(`has ${flag} ${shown(theirs)}`, `has ${shown(ours)}`);
    }
  }
  return { out: out ?? record.out, storage: own.storage };
}

/** Undefined if the worker may not write there. */
function ownLocation(
  location: string,
  { out, allowOut = [] }: WorkerPermissions,
): string | undefined {
  const requested = parse(location);
  if (allowOut.some((allowed) => isWithin(requested, parse(allowed)))) return location;
  if (out === undefined) return undefined;
  const own = parse(out);
  // a directory may be mounted at another path on this machine; a bucket has one name everywhere
  const isOwn =
    own.kind === 'directory'
      ? requested.kind === 'directory'
      : isWithin(requested, own) && isWithin(own, requested);
  return isOwn ? out : undefined;
}

type Location =
  { readonly kind: 'directory'; readonly path: string } | ({ readonly kind: 's3' } & S3Location);

/** @throws {UsageError} it is neither */
function parse(location: string): Location {
  if (/^s3:\/\//i.test(location)) return { kind: 's3', ...parseS3Location(location) };
  if (location !== '' && !/^[a-z][a-z0-9+.-]+:\/\//i.test(location)) {
    return { kind: 'directory', path: resolve(location) };
  }
  throw new UsageError(
    `${JSON.stringify(location)} cannot hold an archive; allowed is a directory or s3://bucket/prefix`,
  );
}

function isWithin(location: Location, allowed: Location): boolean {
  if (location.kind === 's3') {
    return (
      allowed.kind === 's3' &&
      location.bucket === allowed.bucket &&
      location.prefix.startsWith(allowed.prefix)
    );
  }
  if (allowed.kind === 's3') return false;
  const path = relative(allowed.path, location.path);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

/** The options that decide where the bucket is and how its objects are stored; others may differ by machine. */
const OPTION_FLAGS = {
  endpoint: '--s3-endpoint',
  sse: '--s3-sse',
  kmsKeyId: '--s3-kms-key-id',
  storageClass: '--s3-storage-class',
  acl: '--s3-acl',
  tags: '--s3-tags',
  objectLock: '--s3-object-lock',
  retain: '--s3-retain-until',
} as const;

/** The first S3 option in which they differ. */
function differentOption(record: RunRecord['storage'], own: StorageOptions = {}) {
  for (const [option, flag] of Object.entries(OPTION_FLAGS)) {
    const key = option as keyof typeof OPTION_FLAGS;
    const [theirs, ours] = [record.s3?.[key] ?? null, own.s3?.[key] ?? null];
    if (JSON.stringify(theirs) !== JSON.stringify(ours)) return { flag, theirs, ours };
  }
  return undefined;
}

function shown(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
