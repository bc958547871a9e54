/** Maps the envelope's code to an error class. The codes are listed in src/service/README.md. */
import { AuthenticationError } from './authentication-error.js';
import { InvalidRequestError } from './invalid-request-error.js';
import { NotFoundError } from './not-found-error.js';
import { PermissionDeniedError } from './permission-denied-error.js';
import { RateLimitedError } from './rate-limited-error.js';
import { ServerFailureError } from './server-failure-error.js';
import type { ServiceError, ServiceErrorDetails } from './service-error.js';
import { SessionCapError } from './session-cap-error.js';
import { UserRefusedError } from './user-refused-error.js';

interface Meaning {
  readonly error: new (what: string, details: ServiceErrorDetails) => ServiceError;
  readonly what: string;
}

const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [201, { error: RateLimitedError, what: 'too many requests' }],
  [1002, { error: AuthenticationError, what: 'the API key has expired' }],
  [1003, { error: UserRefusedError, what: 'the API key may not act for this user' }],
  [1004, { error: AuthenticationError, what: 'the API key is not accepted' }],
  [9999, { error: ServerFailureError, what: 'the service failed' }],
  [300001, { error: InvalidRequestError, what: 'the service rejects the parameters as invalid' }],
  [300002, { error: PermissionDeniedError, what: 'no permission' }],
  [300003, { error: NotFoundError, what: 'not found' }],
  [300009, { error: SessionCapError, what: 'the user has reached the limit of sessions' }],
]);

export function meaningOf(code: number): Meaning | undefined {
  return MEANINGS.get(code);
}
