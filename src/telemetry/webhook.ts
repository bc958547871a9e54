/** Formats the report for a webhook: as JSON, or as a message for Slack and compatible services. */
import type { Message } from './post.js';
import { reportText } from './report-text.js';
import type { RunReport } from './run-report.js';

export type WebhookFormat = 'json' | 'slack';

export function webhookMessage(report: RunReport, format: WebhookFormat): Message {
  const body = format === 'slack' ? slackBody(report) : jsonBody(report);
  return { body: JSON.stringify(body), contentType: 'application/json' };
}

/** `slack` for Slack's own addresses. */
export function webhookFormatOf(address: URL): WebhookFormat {
  return /(^|\.)slack(-gov)?\.com$/.test(address.hostname) ? 'slack' : 'json';
}

function jsonBody(report: RunReport): object {
  const { command, archive, run, outcome, exitCode, error, counts, version } = report;
  return {
    event: 'run_ended',
    text: reportText(report),
    command,
    archive,
    host: report.host,
    run,
    status: outcome,
    exit_code: exitCode,
    error,
    started_at: new Date(report.startedAtMs).toISOString(),
    duration_ms: report.durationMs,
    counts: {
      users: counts.users,
      sessions: counts.sessions,
      jobs: counts.jobs,
      rows: counts.rows,
      files: counts.files,
      bytes: counts.bytes,
      gaps: counts.gaps,
      deletions: counts.deletions,
      requests: counts.requests,
      retries: counts.retries,
      rate_limited: counts.rateLimited,
      problems: counts.problems,
    },
    jobvault: version,
  };
}

/** Source: Slack's “Formatting text”: these three must be escaped, and nothing else. */
function slackBody(report: RunReport): object {
  const text = reportText(report);
  return {
    text: text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  };
}
