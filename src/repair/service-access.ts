/** The service that an archive belongs to, opened for one repair or one comparison. */
import type { Archive } from '../archive/archive.js';
import { assertSameIdentity } from '../archive/open-archive.js';
import { openAccess, type AccessOptions } from '../artifacts/access.js';
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { Runtime, RuntimeOptions } from '../base/runtime.js';
import { ulid } from '../base/ulid.js';
import type { ServiceClient } from '../service/service-client.js';

export interface ServiceChoices extends AccessOptions {
  /** Default: the archive's service. Another address is refused. */
  readonly baseUrl?: string | undefined;
  /** The requested page size; the service may grant less. Default 100. */
  readonly pageSize?: number | undefined;
  /** The caller's ULID for this run. Default: a new one. */
  readonly runId?: string | undefined;
}

export interface ServiceAccess extends Pick<Runtime, 'clock'>, Pick<RuntimeOptions, 'signal'> {
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  /** The requested page size; the service may grant less. */
  readonly pageSize: number;
}

const DEFAULT_PAGE_SIZE = 100;

/** @throws {UsageError} the address is another service's, or an option is invalid */
export async function withRepairService<T>(
  archive: Archive,
  choices: ServiceChoices,
  signal: AbortSignal,
  use: (access: ServiceAccess) => Promise<T>,
): Promise<T> {
  const { storage, identity, clock, random } = archive;
  const { baseUrl = identity.service.base_url } = choices;
  assertSameIdentity(storage.location, identity, { baseUrl, project: null, formats: undefined });
  const run = choices.runId ?? ulid(clock, random);
  const access = openAccess({ ...choices, ...archive, baseUrl, run, signal });
  try {
    const { service, fetcher } = access;
    const { pageSize = DEFAULT_PAGE_SIZE } = choices;
    return await use({ service, fetcher, clock, pageSize, signal });
  } finally {
    await access.close();
  }
}
