/**
 * What a run may make a worker do: the run's record comes through Redis, and everybody who can write to Redis can
 * forge one. Where the key goes, where the archive is and how it is reached must be what the worker was told
 * itself. Anything else is refused.
 */
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { normaliseBaseUrl } from '../base/http/base-url.js';
import { UsageError } from '../base/usage-error.js';
import { SERVICE_DEFAULTS } from '../service/options.js';
import type { StorageOptions } from '../storage/open-storage.js';
import { parseS3Location, type S3Location } from '../storage/s3/s3-location.js';
import type { RunRecord } from './run-record.js';

/** The options that a worker was started with. */
export interface OwnPlaces {
  /** The one service that the key may be sent to. */
  readonly baseUrl: string;
  /** Default `x-pd-api-key`. */
  readonly apiKeyHeader?: string | undefined;
  /** The base URL of files that have only a storage key. */
  readonly storageBaseUrl?: string | undefined;
  /** The archive as this machine reaches it, whatever path a run names. */
  readonly out?: string | undefined;
  /** Places that a run may name, each with all that lies below. */
  readonly allowOut?: readonly string[] | undefined;
  /** How archives in buckets are reached and written. */
  readonly storage?: StorageOptions | undefined;
}

/** A run's archive as this machine reaches it. */
export interface Place {
  readonly out: string;
  readonly storage: StorageOptions | undefined;
}

/** @throws {UsageError} no place is named, or one that makes no sense */
export function checkOwnPlaces({ out, allowOut = [] }: OwnPlaces): void {
  for (const location of [...(out === undefined ? [] : [out]), ...allowOut]) placeIn(location);
  if (out !== undefined || allowOut.length > 0) return;
  throw new UsageError(
    'no archive is named that this worker may write to; give --out, or --allow-out for every place that a run may name',
  );
}

/** @throws {UsageError} the run needs what this worker was not started with */
export function allowedPlace(record: RunRecord, own: OwnPlaces): Place {
  const refuse = (what: string, ours: string): never => {
    throw new UsageError(`run ${record.name} is refused: it ${what}, and this worker ${ours}`);
  };
  if (normaliseBaseUrl(record.base_url) !== normaliseBaseUrl(own.baseUrl)) {
    refuse(`is about ${record.base_url}`, `has the key for ${own.baseUrl}`);
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
    const places = [...(own.out === undefined ? [] : [own.out]), ...(own.allowOut ?? [])];
    refuse(`names the archive ${record.out}`, `may write to ${places.join(', ')}`);
  }
  if (placeIn(record.out).kind === 's3') {
    const different = differentOption(record.storage, own.storage);
    if (different) {
      const { flag, theirs, ours } = different;
      refuse(`has ${flag} ${shown(theirs)}`, `has ${shown(ours)}`);
    }
  }
  return { out: out ?? record.out, storage: own.storage };
}

/** Undefined where the worker may not write there. */
function ownLocation(location: string, { out, allowOut = [] }: OwnPlaces): string | undefined {
  const wanted = placeIn(location);
  if (allowOut.some((allowed) => isWithin(wanted, placeIn(allowed)))) return location;
  if (out === undefined) return undefined;
  const ours = placeIn(out);
  // a directory may be mounted elsewhere here; a bucket has one name
  const isOurs =
    ours.kind === 'directory'
      ? wanted.kind === 'directory'
      : isWithin(wanted, ours) && isWithin(ours, wanted);
  return isOurs ? out : undefined;
}

type Located =
  { readonly kind: 'directory'; readonly path: string } | ({ readonly kind: 's3' } & S3Location);

/** @throws {UsageError} it is neither */
function placeIn(location: string): Located {
  if (/^s3:\/\//i.test(location)) return { kind: 's3', ...parseS3Location(location) };
  if (location !== '' && !/^[a-z][a-z0-9+.-]+:\/\//i.test(location)) {
    return { kind: 'directory', path: resolve(location) };
  }
  throw new UsageError(
    `${JSON.stringify(location)} cannot hold an archive; allowed is a directory or s3://bucket/prefix`,
  );
}

function isWithin(place: Located, allowed: Located): boolean {
  if (place.kind === 's3') {
    return (
      allowed.kind === 's3' &&
      place.bucket === allowed.bucket &&
      place.prefix.startsWith(allowed.prefix)
    );
  }
  if (allowed.kind === 's3') return false;
  const way = relative(allowed.path, place.path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Where the bucket is and what its objects get. How it is reached is each machine's own business. */
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

/** The first option of S3 in which they differ. */
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
