/** Waits until the service has stopped synchronising a dataset's data sources. */
import { freshAnswer } from './call.js';
import { StaleAnswerError, staleText } from './service-errors.js';
import type { ServiceClient, DatasetRequest } from './service-client.js';
import type { DatasetStatus } from '../model/records.js';
import type { Clock } from '../base/runtime.js';

export interface WaitOptions {
  /** Time from the first check; then the last status is returned. */
  readonly timeoutMs: number;
  /** Between two checks. */
  readonly intervalMs: number;
  readonly clock: Clock;
  /** Called after every check except the last. */
  readonly onPoll?: (status: DatasetStatus) => void;
}

/**
 * The status when no data source is synching any more, or when the time is over.
 *
 * @throws {ServiceError} a check failed; a `StaleAnswerError` only when the time is over
 * @throws the signal's reason, as soon as it is aborted
 */
export async function waitForDataset(
  service: Pick<ServiceClient, 'getDatasetStatus' | 'stats'>,
  request: DatasetRequest,
  { timeoutMs, intervalMs, clock, onPoll }: WaitOptions,
): Promise<DatasetStatus> {
  const end = clock.monotonic() + timeoutMs;
  for (;;) {
    const status = await statusNow(service, request);
    const remainingMs = end - clock.monotonic();
    const isStale = status instanceof StaleAnswerError;
    if (isStale && remainingMs <= 0) throw status;
    if (!isStale) {
      if (status.synching_count <= 0 || remainingMs <= 0) return status;
      onPoll?.(status);
    }
    await clock.sleep(Math.min(intervalMs, remainingMs), request.signal);
  }
}

/** A cache lets go of an answer in time: then the next check may tell. */
async function statusNow(
  service: Pick<ServiceClient, 'getDatasetStatus' | 'stats'>,
  request: DatasetRequest,
): Promise<DatasetStatus | StaleAnswerError> {
  try {
    return await freshAnswer(
      service,
      () => service.getDatasetStatus(request),
      (header) => staleText(request.datasetId, header, 'dataset'),
    );
  } catch (error) {
    if (error instanceof StaleAnswerError) return error;
    throw error;
  }
}

/** Whether questions about every data source are possible: none has failed, none is waiting. */
export function isUsable(status: DatasetStatus): boolean {
  return status.invalid_count === 0 && status.synching_count === 0;
}
