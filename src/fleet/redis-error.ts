import { JobvaultError } from '../base/error.js';

/** Redis cannot be reached, or refuses a command. The message has the URL without its password. */
export class RedisError extends JobvaultError {
  override readonly name = 'RedisError';
  readonly code = 'FLEET_REDIS';
  readonly disposition = 'fatal';
  readonly failure = 'unreachable';
}
