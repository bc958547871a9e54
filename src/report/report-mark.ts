/** What tells a report from any other directory. */
export const REPORT_MARK = 'data/jobvault-report.json';
