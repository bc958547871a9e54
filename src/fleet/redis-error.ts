import { JobvaultError } from '../base/error.js';

/** Redis cannot be reached, or does not do what it is asked. The message names the place without its password. */
export class RedisError extends JobvaultError {
  override readonly name = 'RedisError';
  readonly code = 'FLEET_REDIS';
  readonly disposition = 'fatal';
  readonly failure = 'unreachable';
}
