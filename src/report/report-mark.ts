/** What tells a report from any other directory. */
export const REPORT_MARK = 'data/jobvault-report.json';

/** What an earlier report has at its top: one that has nothing else may be replaced. */
export const REPORT_ENTRIES = ['index.html', 'data'] as const;
