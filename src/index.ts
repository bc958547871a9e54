/** The library: everything that the command line does, for programs. */
export { exportToArchive, EXPORT_DEFAULTS } from './export/export-to-archive.js';
export type { ExportToArchiveOptions } from './export/export-to-archive.js';
export type { ExportResult } from './export/run-tally.js';
export type { ExportStatus, ExportSummary } from './export/export-summary.js';
export type { ExportObserver } from './export/export-observer.js';
export type { Gap } from './export/gap.js';
export { planExport } from './export/plan-export.js';
export type { ExportPlan } from './export/plan-export.js';

export { planArchivePrune, pruneArchive } from './prune/prune-archive.js';
export type { PlanArchiveOptions, PruneArchiveOptions } from './prune/prune-archive.js';
export type { PrunePlan } from './prune/plan-prune.js';
export type { PruneResult } from './prune/run-prune.js';
export type { PruneRules } from './prune/prune-rules.js';
export type { PrunedSession, PruneStatus, PruneSummary } from './prune/prune-summary.js';
export type { SavedPlan } from './prune/saved-plan.js';

export { compactArchive, COMPACT_DEFAULTS } from './rewrite/compact-archive.js';
export type { CompactArchiveOptions, RewriteArchiveOptions } from './rewrite/compact-archive.js';
export type { CompactSummary } from './rewrite/compact.js';

export { createServiceClient } from './service/create-service-client.js';
export type { ServiceClientOptions } from './service/options.js';
export type * from './service/service-client.js';
export { readAll } from './service/read-all.js';
export type { FreshPage, ListingVerdict, PlacedRecord } from './service/read-all.js';
export { Listings } from './service/listings.js';
export type { ListingAccess } from './service/listings.js';
export { isUsable, waitForDataset } from './service/wait-for-dataset.js';
export type { WaitOptions } from './service/wait-for-dataset.js';
export { PageReader } from './service/page-reader.js';
export { PageGrant } from './service/page-grant.js';

export { openArchive } from './archive/open-archive.js';
export { filesOfTable } from './archive/archive.js';
export type { Archive } from './archive/archive.js';
export { ed25519Signer } from './archive/ed25519-signer.js';
export type { CommitSigner } from './archive/commit-signer.js';
export { ed25519Verifier } from './archive/commit-verifier.js';
export type { CommitVerifier } from './archive/commit-verifier.js';
export { archiveStatus } from './archive/archive-status.js';
export type { ArchiveStatus, StatusOptions } from './archive/archive-status.js';
export type { RunStatus } from './archive/run-history.js';
export { sessionStatuses } from './archive/user-status.js';
export type { SessionStatus, UserStatus } from './archive/user-status.js';
export { inspectArchive, verifyArchive } from './archive/verify.js';
export type { Inspection } from './archive/verify.js';
export { repairArchive } from './audit/repair.js';
export type { RepairOptions, RepairReport } from './audit/repair.js';
export { archiveIsBehind } from './audit/difference.js';
export type { Comparison, Difference } from './audit/difference.js';
export { compareWithService } from './audit/compare-with-service.js';
export type { CompareOptions } from './audit/compare-with-service.js';
export type { ServiceAccess } from './audit/service-access.js';
export type { VerifyOptions } from './archive/verify.js';
export type { VerifyProblem, VerifyReport } from './archive/verify-report.js';
export { writeEvidence } from './evidence/write-evidence.js';
export type { EvidenceOptions, EvidenceSummary } from './evidence/write-evidence.js';
export { openStorage } from './storage/open-storage.js';
export type * from './storage/storage.js';

export { rowFormats } from './formats/formats.js';
export type { RowFormat, RowFormatName } from './formats/format.js';
export { TABLES, TABLE_NAMES, tableNamed } from './model/tables.js';
export type { CellValue, Column, ColumnType, Row, TableSchema } from './model/table-schema.js';
export * from './model/ids.js';
export type * from './model/records.js';

export { startEmulator } from './emulator/emulator.js';
export type { Emulator } from './emulator/emulator.js';
export type { EmulatorOptions } from './emulator/options.js';

export { JobvaultError } from './base/error.js';
export type { Disposition, FailureKind } from './base/error.js';
export { UsageError } from './base/usage-error.js';
export type { Clock } from './base/clock.js';
export type { Logger } from './base/logger.js';
export type { Random } from './base/random.js';
export { shardOfEnvironment } from './fleet/shard-environment.js';
export { formatShard, isInShard, parseShard } from './base/shard.js';
export type { Shard } from './base/shard.js';
export { systemClock } from './base/system-clock.js';
export { systemRandom } from './base/random.js';
export { silentLogger } from './base/logger.js';
export { VERSION } from './base/version.js';
