/** What programs import as `jobvault/service`: a typed client of the service's twelve operations. */
export { createServiceClient } from './service/create-service-client.js';
export type { ServiceClientOptions } from './service/create-service-client.js';
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
  RequestBatch,
  UserRequest,
} from './service/service-client.js';
export { readAll } from './service/read-all.js';
export type { FreshPage } from './service/read-all.js';
export type { PlacedRecord } from './service/page-reader.js';
export { Listings } from './service/page-reader.js';
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

export { AuthenticationError } from './service/service-errors.js';
export { BodyTooLargeError } from './service/service-errors.js';
export { ClientClosedError } from './service/service-errors.js';
export { InvalidRequestError } from './service/service-errors.js';
export { MalformedResponseError } from './service/service-errors.js';
export { NotFoundError } from './service/service-errors.js';
export { PagingError } from './service/service-errors.js';
export { PermissionDeniedError } from './service/service-errors.js';
export { RateLimitedError } from './service/service-errors.js';
export { RedirectRefusedError } from './service/service-errors.js';
export { RequestTimeoutError } from './service/service-errors.js';
export { ServerFailureError } from './service/service-errors.js';
export { ServiceError } from './service/service-errors.js';
export { ServiceFailureError } from './service/service-errors.js';
export { SessionCapError } from './service/service-errors.js';
export { StaleAnswerError } from './service/service-errors.js';
export { UnreachableError } from './service/service-errors.js';
export { UnusableAnswerError } from './service/service-errors.js';
export { UnusableIdError } from './service/service-errors.js';
export { UserRefusedError } from './service/service-errors.js';
export { WrongAddressError } from './service/service-errors.js';
