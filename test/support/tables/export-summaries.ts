/** Summaries and gaps of exports that never ran. */
import { emptySummary, type ExportSummary } from '../../../src/export/export-summary.js';
import type { Gap } from '../../../src/export/jobs/gap.js';
import { NO_JOB } from '../store/archive-samples.js';

export function summaryOf(changes: Partial<ExportSummary> = {}): ExportSummary {
  return { ...emptySummary('out', 'run'), ...changes };
}

export function gapIn(changes: Partial<Gap> = {}): Gap {
  return {
    user: 'ada',
    session: null,
    ...NO_JOB,
    status: 'failed',
    reason: 'it broke',
    ...changes,
  };
}
