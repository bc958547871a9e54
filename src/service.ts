/** What programs import as `jobvault/service`: a typed client of the service's twelve operations. */
export { createServiceClient } from './service/create-service-client.js';
export type { ServiceClientOptions } from './service/options.js';
export type {
  CreateDatasetRequest,
  CreateSessionRequest,
  DatasetRequest,
  HistoryRequest,
  ListRequest,
  ModifyDatasetRequest,
  ModifySessionRequest,
  Page,
  PageRequest,
  RequestStats,
  ServiceClient,
  SessionRequest,
  SessionSettings,
  Together,
  UserRequest,
} from './service/service-client.js';
export { readAll } from './service/read-all.js';
export type { FreshPage } from './service/read-all.js';
export type { PlacedRecord } from './service/page-reader.js';
export { Listings } from './service/listings.js';
export { isUsable, waitForDataset } from './service/wait-for-dataset.js';
export type { WaitOptions } from './service/wait-for-dataset.js';
export { asDatasetId, asJobId, asSessionId, asUserId } from './model/ids.js';
export type { DatasetId, JobId, SessionId, UserId } from './model/ids.js';
export type {
  DatasetOverview,
  DatasetRecord,
  DatasetStatus,
  JobRecord,
  JsonObject,
  SessionRecord,
  Verbatim,
} from './model/records.js';

export { AuthenticationError } from './service/errors/authentication-error.js';
export { BodyTooLargeError } from './service/errors/body-too-large-error.js';
export { ClientClosedError } from './service/errors/client-closed-error.js';
export { InvalidRequestError } from './service/errors/invalid-request-error.js';
export { MalformedResponseError } from './service/errors/malformed-response-error.js';
export { NotFoundError } from './service/errors/not-found-error.js';
export { PagingError } from './service/paging-error.js';
export { PermissionDeniedError } from './service/errors/permission-denied-error.js';
export { RateLimitedError } from './service/errors/rate-limited-error.js';
export { RedirectRefusedError } from './service/errors/redirect-refused-error.js';
export { RequestTimeoutError } from './service/errors/request-timeout-error.js';
export { ServerFailureError } from './service/errors/server-failure-error.js';
export { ServiceError } from './service/errors/service-error.js';
export { ServiceFailureError } from './service/errors/service-failure-error.js';
export { SessionCapError } from './service/errors/session-cap-error.js';
export { StaleAnswerError } from './service/errors/stale-answer-error.js';
export { UnreachableError } from './service/errors/unreachable-error.js';
export { UnusableAnswerError } from './service/errors/unusable-answer-error.js';
export { UnusableIdError } from './service/errors/unusable-id-error.js';
export { UserRefusedError } from './service/errors/user-refused-error.js';
export { WrongAddressError } from './service/errors/wrong-address-error.js';
