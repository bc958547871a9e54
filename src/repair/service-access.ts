/** The service and its files, as somebody who looks needs them. */
import type { ArtifactFetcher } from '../artifacts/artifact-fetcher.js';
import type { Clock } from '../base/clock.js';
import type { ServiceClient } from '../service/service-client.js';

export interface ServiceAccess {
  readonly service: ServiceClient;
  readonly fetcher: ArtifactFetcher;
  readonly clock: Clock;
  /** Asked for at first; the service may grant fewer. */
  readonly pageSize: number;
  readonly signal?: AbortSignal | undefined;
}
