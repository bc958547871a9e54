/** Opens and closes the clients of the service and of its file hosts for one run. */
import type { ProxySettings } from '../base/http/proxy.js';
import type { Runtime } from '../base/runtime.js';
import { VERSION } from '../base/version.js';
import {
  createServiceClient,
  type ServiceClientOptions,
} from '../service/create-service-client.js';
import type { Pace } from '../service/pace/pace.js';
import type { ServiceClient } from '../service/service-client.js';
import type { ArtifactFetcher } from './artifact-fetcher.js';
import { createArtifactFetcher, type StagingStorage } from './fetcher.js';
import { privateNetworkOf } from './guard.js';

/** How a service and its files are reached. */
export interface AccessOptions extends Pick<
  ServiceClientOptions,
  'apiKey' | 'apiKeyHeader' | 'rate'
> {
  /** Default: service and file hosts are reached directly. See `proxyFromEnvironment`. */
  readonly proxy?: ProxySettings | undefined;
  /** Downloads at a time. Default 8. */
  readonly fileConcurrency?: number | undefined;
  /** Limit for one file. Default 1 GiB. */
  readonly maxFileBytes?: number | undefined;
  /** The URL that bare storage keys are relative to. */
  readonly storageBaseUrl?: string | undefined;
  /** Files come from this machine alone. Default false. */
  readonly onlyThisMachine?: boolean | undefined;
  /** Whether files may come from private addresses. Default: only from this machine, and only if the service runs on it. */
  readonly allowPrivateNetwork?: boolean | undefined;
}

export interface Access {
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  close(): Promise<void>;
}

interface Opening extends AccessOptions, Omit<Runtime, 'signal'> {
  readonly baseUrl: string;
  /** Names the run in every trace id, so that the service's operator can find it. */
  readonly run: string;
  /** Where files are staged. */
  readonly storage: StagingStorage;
  /** A rate limit shared with other workers; replaces `rate`. */
  readonly pace?: Pace | undefined;
  /** Aborts requests to the service. */
  readonly signal?: AbortSignal | undefined;
}

const USER_AGENT = `jobvault/${VERSION}`;

/** @throws {UsageError} an option is invalid */
export function openAccess(options: Opening): Access {
  const service = openService(options);
  const { storage, clock, random, logger, terms, proxy, storageBaseUrl } = options;
  const fetcher = createArtifactFetcher({
    storage,
    clock,
    random,
    logger,
    terms,
    proxy,
    storageBaseUrl,
    userAgent: USER_AGENT,
    concurrency: options.fileConcurrency,
    maxFileBytes: options.maxFileBytes,
    allowPrivateNetwork: options.onlyThisMachine
      ? 'only-loopback'
      : options.allowPrivateNetwork === true || privateNetworkOf(options.baseUrl),
  });
  return {
    service,
    fetcher,
    close: async () => {
      await Promise.all([service.close(), fetcher.close()]);
    },
  };
}

/** The service alone. @throws {UsageError} an option is invalid */
export function openService(options: Omit<Opening, 'storage'>): ServiceClient {
  const { clock, random, logger, terms, proxy, baseUrl, apiKey, pace, signal } = options;
  return createServiceClient({
    clock,
    random,
    logger,
    terms,
    proxy,
    baseUrl,
    apiKey,
    pace,
    signal,
    userAgent: USER_AGENT,
    traceId: `jobvault-${options.run}`,
    apiKeyHeader: options.apiKeyHeader,
    rate: options.rate,
  });
}
