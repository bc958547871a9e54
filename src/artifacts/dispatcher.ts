/** The connections to file hosts: their own pool, apart from the service's, so that nothing of the service can leak into it. */
import { Agent, type Dispatcher } from 'undici';
import type { Guard } from './guard.js';

export interface FileDispatcherOptions {
  readonly guard: Guard;
  /** Connections to one host at most. */
  readonly connections: number;
  /** Silence of this many milliseconds breaks a download off. */
  readonly stallMs: number;
}

const CONNECT_TIMEOUT_MS = 15_000;

/** The one place where connections to file hosts are made. */
export function createFileDispatcher({
  guard,
  connections,
  stallMs,
}: FileDispatcherOptions): Dispatcher {
  return new Agent({
    connections,
    pipelining: 1,
    headersTimeout: stallMs,
    bodyTimeout: stallMs,
    connect: { lookup: guard.lookup, timeout: Math.min(CONNECT_TIMEOUT_MS, stallMs) },
  });
}
