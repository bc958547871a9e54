/** What programs import as `jobvault`. The client of the service is `jobvault/service`, the emulator `jobvault/emulator`. */
export {
  enqueueRun,
  examineSetup,
  exportToArchive,
  fleetStatus,
  openArchive,
  openArchives,
  planExport,
  runWorker,
  waitForRun,
} from './library/operations.js';
export type { OpenArchive } from './library/open-archive.js';
export type { MakingChoices } from './library/making.js';
export type { OpenMaking, ProductConversation } from './making/open-making.js';
export type { SurveyedSession, SurveyedUser } from './making/survey.js';
export type { OpenArchives } from './library/open-archives.js';
export type { OpenOptions } from './library/call-context.js';

export type { ExportChoices, ExportToArchiveOptions } from './export/export-request.js';
export type { ExportResult } from './export/run-tally.js';
export type { ExportSummary } from './export/export-summary.js';
export type { ExportObserver } from './export/export-observer.js';
export type { ExportPlan } from './export/plan-export.js';
export type { Gap } from './export/jobs/gap.js';

export type { ArchiveIdentity } from './archive/identity.js';
export type { SharedSessions } from './archive/histories/session-owners.js';
export type { ArchiveChanges, Change, ChangesOptions } from './archive/changes.js';
export type { ObjectChecksum } from './archive/objects/checksums.js';
export type { ArchiveStatus, StatusOptions } from './completeness/archive-status.js';
export type { StatusOfSeveral, UnreadArchive } from './completeness/status-of-several.js';
export type { UserInSeveral } from './archive/reading/users/users-in-several.js';
export type { RunStatus } from './archive/state/run-history.js';
export type { SessionStatus, UserStatus } from './completeness/user-status.js';
export type { CommandLine, CommandPlace, NextStep } from './base/next-step.js';
export type { Caveat, CaveatKind } from './archive/reading/caveats/caveat.js';
export type { CaveatSeverity } from './archive/reading/caveats/caveat-kind.js';
export type { GivenScope } from './archive/reading/scope.js';
export type {
  Conversation,
  ConversationRows,
  ConversationTable,
} from './archive/reading/conversation.js';
export type { JobRows } from './archive/reading/rows/session-rows.js';
export type { ListedSession, ListedSessions, ListScope } from './archive/reading/session-list.js';
export type { VerifyOptions } from './archive/verify/verify.js';
export type { VerifyProblem } from './archive/verify/findings.js';
export type { VerifyReport } from './archive/verify/verify.js';
export type { RepairChoices, RepairReport } from './repair/repair.js';
export type { CompareChoices } from './repair/compare-with-service.js';
export type { Comparison, Difference } from './repair/difference.js';
export type { QueryOptions } from './query/query-archive.js';
export type { QueryRow, QueryValue } from './query/result-objects.js';
export type { UserRow } from './query/views/users-view.js';
export type { QueryResult, ResultRow } from './query/query-result.js';
export type { ArchiveViews, ViewsOptions } from './query/views/archive-views.js';
export type { SearchHit, SearchOptions, SearchResult } from './search/search-archive.js';
export type { ReportOptions, ReportSummary } from './report/report-options.js';
export type { WorkbookOptions, WorkbookSummary } from './workbook/write-workbook.js';
export type { EvidenceOptions, EvidenceSummary } from './evidence/write-evidence.js';
export type { CompactChoices, CompactSummary } from './rewrite/compaction/compact.js';
export type { CopyChoices, CopySummary } from './rewrite/copy-archive.js';
export type { EraseChoices, EraseSummary } from './rewrite/erasure/erase-options.js';
export type { ExpireChoices, ExpireSummary } from './rewrite/expiry/expire-options.js';
export type {
  PseudonymiseChoices,
  PseudonymiseSummary,
} from './rewrite/pseudonymise/pseudonymise-options.js';
export type { PruneChoices } from './prune/prune-choices.js';
export type { PruneRules } from './prune/prune-rules.js';
export type { PrunePlan } from './prune/plan/plan-prune.js';
export type { PruneResult } from './prune/run-prune.js';
export type { PruneSummary } from './prune/prune-summary.js';
export type { SavedPlan } from './prune/plan/saved-plan.js';
export type { AcceptChoices, ImageChoice } from './archive/gaps.js';
export type { AcceptedGap } from './archive/log/accepted-gaps.js';
export type { ListedGap } from './archive/gaps.js';
export type { ForRequest } from './library/for-request.js';
export type {
  ClosedRequest,
  CloseChoices,
  RequestChoices,
} from './archive/notes/change-requests.js';
export type { RequestPack, RequestRecord, RequestSearch } from './archive/log/request-history.js';
export type { HoldChoices, ReleaseChoices } from './archive/holds/change-holds.js';
export type { HoldRecord } from './archive/log/notes.js';
export { Holds, type BindingHold } from './archive/holds/holds.js';

export { ed25519Signer } from './archive/log/signing.js';
export type { CommitSigner } from './archive/log/signing.js';
export { ed25519Verifier } from './archive/log/commit-verifier.js';
export type { CommitVerifier } from './archive/log/commit-verifier.js';
export type { StorageOptions } from './storage/open-storage.js';
export { TABLES } from './model/tables.js';
export type { TableSchema } from './model/table-schema.js';

export type { Enqueued, EnqueueOptions } from './fleet/enqueue-run.js';
export type { FleetRun } from './fleet/run-summary.js';
export type { FleetStatus } from './fleet/fleet-status.js';
export type { WorkerOptions, WorkerResult } from './fleet/worker-options.js';
export type { RunSummary } from './fleet/run-summary.js';
export type { WaitForRunOptions } from './fleet/wait-for-run.js';
export type { SetupOptions } from './doctor/examine-setup.js';
export type { Finding } from './doctor/examine-service.js';

export type { Clock } from './base/runtime.js';
export type { Logger } from './base/logger.js';
export type { Random } from './base/runtime.js';
export { proxyFromEnvironment } from './base/http/proxy.js';
export type { ProxySettings } from './base/http/proxy.js';
export { parseShard } from './model/shard.js';
export type { Shard } from './model/shard.js';
export { VERSION } from './base/version.js';

export { JobvaultError } from './base/error.js';
export type { Disposition, FailureKind } from './base/error.js';
export { UsageError } from './base/error.js';
export { CommitConflictError } from './archive/archive-errors.js';
export { LogCrowdedError } from './archive/archive-errors.js';
export { RewrittenMeanwhileError } from './archive/archive-errors.js';
export { LeaseHeldError } from './archive/archive-errors.js';
export { RunAbandonedError } from './archive/archive-errors.js';
export { SigningKeyError, SigningStartError } from './archive/archive-errors.js';
export { IntegrityError } from './archive/archive-errors.js';
export { FormatError } from './formats/format.js';
export { QueryError } from './query/query-error.js';
export { ErasureUnfinishedError } from './archive/archive-errors.js';
export { ErasureHeldError } from './rewrite/erasure/erase-options.js';
export { DamagedObjectError } from './storage/storage-errors.js';
export { ObjectNotFoundError } from './storage/storage-errors.js';
export { ReplacedWhileReadError } from './storage/storage-errors.js';
export { StorageError } from './storage/storage-errors.js';
export { SymbolicLinkError } from './storage/storage-errors.js';
export { ServiceError } from './service/service-errors.js';
export { OtherProjectError } from './export/project-of-key.js';
export { RedisError } from './fleet/fleet-errors.js';
