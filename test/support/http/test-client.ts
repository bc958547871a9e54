/** A service client for tests: real sockets, real time, very short waits. */
import type { LogFields, Logger } from '../../../src/base/logger.js';
import { systemClock } from '../../../src/base/runtime.js';
import { asDatasetId, asSessionId, asUserId } from '../../../src/model/ids.js';
import {
  createServiceClient,
  type ServiceClientOptions,
} from '../../../src/service/create-service-client.js';
import type { ServiceClient } from '../../../src/service/service-client.js';

export const CANARY_KEY = 'canary-key-4f1d8a';

export const userId = asUserId('user-1');
export const sessionId = asSessionId('session-1');
export const datasetId = asDatasetId('dataset-1');

/** Backoff without a wait: full jitter at its lowest. */
const impatient = { fraction: () => 0, bytes: (length: number) => new Uint8Array(length) };

export type TestClient = ServiceClient &
  AsyncDisposable & { readonly logged: readonly (readonly [LogFields, string])[] };

export function testClient(
  baseUrl: string,
  options: Partial<ServiceClientOptions> = {},
): TestClient {
  const logged: (readonly [LogFields, string])[] = [];
  const note = (fields: LogFields, message: string): void => void logged.push([fields, message]);
  const logger: Logger = { debug: note, info: note, warn: note, error: note };
  const client = createServiceClient({
    baseUrl,
    apiKey: CANARY_KEY,
    traceId: 'run-1',
    clock: systemClock,
    random: impatient,
    logger,
    rate: 1000,
    maxAttempts: 4,
    requestTimeoutMs: 10_000,
    ...options,
  });
  return Object.assign(client, { logged, [Symbol.asyncDispose]: () => client.close() });
}

/** What a promise rejects with; fails the test when it resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}
