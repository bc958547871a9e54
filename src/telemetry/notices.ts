/** Sends pings and webhooks when a run begins and ends. A failed delivery is logged and does not affect the run. */
import type { Logger } from '../base/logger.js';
import type { ProxySettings } from '../base/http/proxy.js';
import { post, type Message } from './post.js';
import { isDoneWithUsers, type RunReport, type Counts, type RunOutcome } from './run-report.js';
import { clauses } from '../base/text/clauses.js';
import { agreeing, counted } from '../base/text/counted.js';
import { formatDuration } from '../base/units.js';
import { versionsOfQuestions } from '../model/question-versions.js';
import { leftByBudgetText } from '../model/left-by-budget.js';
import { runWord, type RunWord } from '../model/run-outcome.js';
import { usersAtTheCap } from '../model/session-cap.js';

export interface NoticeAddresses {
  /** Called at the begin and end of every run. */
  readonly pingUrl?: URL | undefined;
  /** Called for runs that end with gaps or fail. */
  readonly webhookUrl?: URL | undefined;
  /** Default: no proxy. */
  readonly proxy?: ProxySettings | undefined;
}

export class Notices {
  #begun: Promise<void> = Promise.resolve();

  constructor(readonly addresses: NoticeAddresses) {}

  /** Does not delay the run. */
  begun(logger: Logger): void {
    const { pingUrl } = this.addresses;
    if (!pingUrl) return;
    this.#begun = this.#deliver('ping', pingAddress(pingUrl, 'start'), plain(''), logger);
  }

  /** Resolves within seconds, whatever happens. */
  async ended(report: RunReport, logger: Logger): Promise<void> {
    const { pingUrl, webhookUrl } = this.addresses;
    await this.#begun; // the end must not overtake the begin
    await Promise.all([
      pingUrl &&
        this.#deliver(
          'ping',
          pingAddress(pingUrl, report.exitCode),
          plain(reportText(report)),
          logger,
        ),
      webhookUrl &&
        report.exitCode !== 0 &&
        this.#deliver('webhook', webhookUrl, webhookMessage(report), logger),
    ]);
  }

  async #deliver(what: string, address: URL, message: Message, logger: Logger): Promise<void> {
    const failure = await post(address, message, this.addresses.proxy);
    if (failure === undefined) logger.debug({ host: address.host }, `${what} delivered`);
    else logger.warn({ reason: failure }, `the ${what} could not be delivered`);
  }
}

function plain(body: string): Message {
  return { body, contentType: 'text/plain; charset=utf-8' };
}

/** The URLs of a dead man's switch in the style of healthchecks.io: `/start`, the plain URL for success, `/<exit code>`. */
export function pingAddress(base: URL, what: 'start' | number): URL {
  const address = new URL(base);
  if (what === 0) return address;
  address.pathname = `${address.pathname.replace(/\/+$/, '')}/${what}`;
  return address;
}

/** Formats the report for a webhook: JSON whose `text` is what Slack, Mattermost and Teams' workflows show. */
export function webhookMessage(report: RunReport): Message {
  return { body: JSON.stringify(jsonBody(report)), contentType: 'application/json' };
}

function jsonBody(report: RunReport): object {
  const { command, archive, run, exitCode, error, counts, version } = report;
  return {
    event: 'run_ended',
    text: chatText(reportText(report)),
    command,
    archive,
    host: report.host,
    scope: report.scope,
    shard: report.shard,
    run,
    status: statusOf(report),
    exit_code: exitCode,
    error,
    started_at: new Date(report.startedAtMs).toISOString(),
    duration_ms: report.durationMs,
    counts: {
      users: counts.users,
      sessions: counts.sessions,
      jobs: counts.jobs,
      // rows of what is committed; a run that wrote none tells nothing of tables
      rows: total(counts.rows) > 0 ? counts.rows : undefined,
      files: counts.files,
      bytes: counts.bytes,
      ...(isDoneWithUsers(report) && {
        gaps: counts.gaps,
        left_gaps: counts.leftGaps,
        accepted_gaps: counts.acceptedGaps,
        accepted_doubts: counts.acceptedDoubts,
      }),
      deletions: counts.deletions,
      declined: counts.declined,
      left: counts.left,
      requests: counts.requests,
      retries: counts.retries,
      rate_limited: counts.rateLimited,
      problems: counts.problems,
    },
    jobvault: version,
  };
}

/** Source: Slack's “Formatting text”: these three must be escaped, and nothing else. */
function chatText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Describes a run in one or two sentences, for a chat or a monitor's log. */
export function reportText(report: RunReport): string {
  const { command, archive, exitCode, error, counts, durationMs, run, shard } = report;
  const ofShard = shard === undefined ? '' : `, shard ${shard},`;
  const ofArchive = `${archive === null ? '' : ` of ${archive}`}${ofShard}`;
  const code = exitCode === 0 ? '' : ` (exit code ${exitCode})`;
  const { jobs, declined, problems = 0, acceptedGaps = 0, acceptedDoubts = 0 } = counts;
  const { total: users = 0, not_finished: notFinished = 0 } = counts.users ?? {};
  const { deleted = 0, refused = 0, left = 0 } = counts.deletions ?? {};
  const done = clauses(
    ', ',
    jobs !== undefined && questionsText(jobs, counts),
    notFinished > 0 && `${notFinished} of ${counted(users, 'user')} not finished`,
    deleted > 0 && `${counted(deleted, 'conversation')} deleted`,
    declined !== undefined && `the answer was no for ${counted(declined, 'conversation')}`,
    refused > 0 && `${counted(refused, 'deletion')} refused`,
    left > 0 && `${counted(left, 'deletion')} left for the next run`,
    problems > 0 && counted(problems, 'problem'),
    isStopped(report) && leftByBudgetText(counts.left ?? {}),
    total(counts.gaps) > 0 && `gaps: ${gapsText(counts)}`,
    acceptedGaps > 0 && `accepted gaps: ${acceptedGaps}`,
    acceptedDoubts > 0 && `accepted doubts: ${acceptedDoubts}`,
  );
  return [
    `jobvault ${command}${ofArchive} ${wordsOf(report)}${code} after ${formatDuration(durationMs)}`,
    ...(error === null ? [] : [`: ${error}`]),
    '. ',
    done === '' ? '' : `${done}. `,
    ...newsOfUsers(report),
    ...atTheCapWords(report),
    `Run ${run}.`,
  ].join('');
}

/** What nobody was told before of users: none of it is a gap. */
function newsOfUsers({ counts: { users = {} } }: RunReport): string[] {
  const {
    newly_never_seen: unseen = 0,
    newly_vanished: vanished = 0,
    newly_left_out: leftOut = 0,
  } = users;
  const news = clauses(
    ' ',
    unseen > 0 &&
      `${counted(unseen, 'user has', 'users have')} no conversation; ${agreeing(unseen, 'is the id', 'are the ids')} right?`,
    vanished > 0 && `of ${counted(vanished, 'user')} the service lists nothing any more.`,
    leftOut > 0 && `${counted(leftOut, 'user is', 'users are')} not on the list any more.`,
  );
  return news === '' ? [] : [`New: ${news} `];
}

/** A sentence of its own: such a user is no gap. */
function atTheCapWords({ counts, makesRoom }: RunReport): string[] {
  const count = counts.users?.['at_the_cap'] ?? 0;
  if (count === 0) return [];
  const named = agreeing(count, 'the user', 'the users');
  const how = makesRoom === undefined ? '' : `: ${makesRoom} names ${named}, and what makes room`;
  return [`${usersAtTheCap(count)} and forgets the oldest${how}. `];
}

function questionsText(jobs: number, { sessions }: RunReport['counts']): string {
  return sessions?.['restored'] === undefined
    ? `${versionsOfQuestions(jobs)} archived`
    : `${counted(jobs, 'question')} restored`;
}

/** Whatever a run has read: with a doubtful list of users it has failed, though its exit code is that of gaps. */
function outcomeIn({ outcome, counts }: RunReport): RunOutcome {
  return counts.doubtfulList === 1 ? 'failed' : outcome;
}

/** As the summary of the run has it. */
function statusOf(report: RunReport): RunOutcome | RunWord {
  const outcome = outcomeIn(report);
  const { error, counts } = report;
  // the service failed for some of what it has read, or refused deletions: it came to its end all the same
  const hasEnded = error === null && counts.doubtfulList !== 1 && isDoneWithUsers(report);
  if (outcome === 'interrupted' || (outcome === 'failed' && !hasEnded)) return outcome;
  return runWord({
    isAllRead: !isStopped(report),
    hasGaps: outcome === 'gaps' || total(counts.gaps) > 0,
    hasDecided: isDecided(report),
  });
}

function wordsOf(report: RunReport): string {
  const { scope, counts } = report;
  const outcome = outcomeIn(report);
  if (outcome === 'failed' && report.error === null) {
    const ended = total(counts.gaps) > 0 ? WORDS.gaps : 'has ended';
    if (counts.declined !== undefined && report.command === 'prune')
      return 'was not confirmed, so nothing was deleted';
    if (counts.declined !== undefined) return `${ended}, and its deletions were not confirmed`;
    if (counts.deletions?.['refused']) return `${ended}, and deletions were refused`;
  }
  if (outcome === 'gaps' && isStopped(report)) return `${STOPPED}, with gaps`;
  if (outcome !== 'complete') return WORDS[outcome];
  if (isStopped(report)) return STOPPED;
  if (scope === 'part') return `has ${report.command === 'prune' ? 'pruned' : 'read'} a part`;
  return isDecided(report) ? 'is not complete, by decision,' : WORDS.complete;
}

/** Whether users lack only what somebody has decided on. */
function isDecided({ counts }: RunReport): boolean {
  return (counts.users?.['incomplete_by_decision'] ?? 0) > 0;
}

/** Whether its budget has left something for later runs. */
function isStopped({ counts }: RunReport): boolean {
  return total(counts.left) > 0;
}

const STOPPED = 'was stopped by its budget';

const WORDS: Readonly<Record<RunOutcome, string>> = {
  complete: 'is complete',
  gaps: 'finished with gaps',
  interrupted: 'was interrupted',
  failed: 'failed',
};

function total(counts: Counts = {}): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** What a budget has left is named apart: it is no reason for an alarm. */
function gapsText({ gaps = {}, leftGaps = 0 }: RunReport['counts']): string {
  const { incomplete = 0 } = gaps;
  const others = countsText({ ...gaps, incomplete: Math.max(0, incomplete - leftGaps) });
  return clauses(', ', others || null, leftGaps > 0 && `${leftGaps} left by a budget`);
}

function countsText(counts: Counts = {}): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ');
}
