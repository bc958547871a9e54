/** Archives the history of users; with `--delete-archived` also deletes what is archived. */
import { type ExportToArchiveOptions, checkedUsers } from '../../export/export-request.js';
import { exportToArchive } from '../../export/export-to-archive.js';
import type { ExportResult } from '../../export/run-tally.js';
import type { ExportSummary } from '../../export/export-summary.js';
import { UsersListError } from '../../archive/reading/users/users-list.js';
import { planExport } from '../../export/plan-export.js';
import { OtherProjectError } from '../../export/project-of-key.js';
import { messageOf, UsageError } from '../../base/error.js';
import { redactText } from '../../base/text/redact.js';
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { withFields } from '../../base/logger.js';
import { serviceSettings } from '../../config/access-settings.js';
import { exportSettings } from '../../config/export-settings.js';
import { budgetSettings } from '../../config/budget-settings.js';
import {
  deleteArchivedSetting,
  pruneRuleSettings,
  yesSetting,
} from '../../config/rewrite-settings.js';
import type { SettingSources, ValuesOf } from '../../config/resolve-settings.js';
import { required } from '../../config/setting.js';
import { telemetrySettings } from '../../config/telemetry-settings.js';
import type { RunScope } from '../../telemetry/run-report.js';
import { acceptedKinds } from '../input/accepted-kinds.js';
import { askBeforePrune } from '../input/ask-before-prune.js';
import { readSigner, timestampUrls } from '../input/keys.js';
import { readApiKey } from '../input/api-key.js';
import { storageOptionsOf } from '../../config/storage-settings.js';
import { type CommandResult, defineCommand, type Invocation } from '../command.js';
import {
  deleteArchived,
  deletionRules,
  planDeletion,
  CheckedSessions,
} from '../delete-archived.js';
import { EXIT, exitCodeOfError, exitCodeOfExport } from '../exit-code.js';
import { exportView, planView } from '../output/reports/export-report.js';
import type { PruneSummary } from '../../prune/prune-summary.js';
import type { View } from '../output/view.js';
import { pruneView } from '../output/reports/prune-report.js';
import { agreeing, counted } from '../../base/text/counted.js';
import type { Terminal } from '../output/terminal.js';
import { nextStep } from '../output/next-step.js';
import { startProgress, type Progress } from '../output/progress/progress.js';
import { versionsOfQuestions } from '../../model/question-versions.js';
import { countsOfDeletions, countsOfExport, countsOfNobody } from '../output/run-counts.js';
import { consent } from '../input/confirm.js';
import { readUsers } from '../input/users.js';
import { warnAtTheCap } from '../output/warn-at-the-cap.js';
import { warnOfGaps } from '../output/warn-of-gaps.js';

const settings = {
  ...serviceSettings,
  baseUrl: required(serviceSettings.baseUrl),
  ...exportSettings,
  out: required(exportSettings.out),
  ...budgetSettings,
  deleteArchived: deleteArchivedSetting,
  ...pruneRuleSettings,
  yes: yesSetting,
  ...telemetrySettings,
};

export const exportCommand = defineCommand({
  usage: 'export',
  describe: 'Archive the history of users',
  settings,
  examples: {
    'jobvault export --base-url https://api.example.com --user ada --out ./archive':
      "one user's history, with the key in JOBVAULT_API_KEY",
    'jobvault export --users-file users.csv --out ./archive --format parquet,xlsx --json':
      'many users; other settings from jobvault.config.yaml',
    'jobvault export --users-file users.csv --out s3://bucket/archive --shard 3/16':
      'machine 3 of 16 that share the users and the rate',
    'jobvault export --user ada --session 0b6f… --out ./archive --full':
      'one session, read again completely',
    'jobvault export --users-file users.csv --out ./archive --max-duration 6h --max-staleness 7d':
      'stops after six hours, likeliest changes first; checks every session once a week',
    'jobvault export --users-file - --out ./archive --dry-run < users.txt':
      'shows what there is to export',
    'jobvault export --user ada --out ./archive --delete-archived --older-than 30d':
      'then shows, asks, and deletes from the service what is provably archived, as prune does',
  },
  isDryRun: ({ dryRun }) => dryRun === true,
  isNightly: true,
  scopeOf,
  run: runExportCommand,
});

function scopeOf(
  { sessions, search, retryGaps, usersFile }: Partial<ValuesOf<typeof settings>>,
  flags: SettingSources['flags'],
): RunScope {
  if (sessions !== undefined || search !== undefined || retryGaps === true) return 'part';
  return settings.user.name in flags && usersFile === undefined ? 'named' : 'all';
}

async function runExportCommand(invocation: Invocation<typeof settings>): Promise<CommandResult> {
  const { settings: given, terminal, runId } = invocation;
  const logger = withFields(invocation.logger, { run: runId });
  const ask = given.deleteArchived && !given.dryRun ? consent(invocation) : undefined;
  const shown: { progress?: Progress } = {};
  const options: ExportToArchiveOptions = {
    ...(await optionsOf(invocation)),
    signer: await readSigner(
      given,
      { terminal, logger },
      (ask) => shown.progress?.pausedFor(ask) ?? ask(),
    ),
    timestampUrls: timestampUrls(given.timestampUrl),
    logger: invocation.logger,
    terms: terminal.terms,
    runId,
    signal: terminal.interruption.signal,
  };
  const rules = given.deleteArchived ? await deletionRules(given) : undefined;
  if (given.dryRun) return dryRun(options, rules);
  const progress = startProgress(terminal, logger, checkedUsers(options).length);
  shown.progress = progress;
  const saved = { commits: 0, jobs: 0 };
  const seen = new CheckedSessions({
    ...progress.observer,
    committed: (_commit, jobs) => {
      saved.commits++;
      saved.jobs = jobs;
    },
  });
  invocation.onLateEnd(() => ({ summary: savedText(saved), counts: { jobs: saved.jobs } }));
  terminal.interruption.signal.addEventListener('abort', () => {
    logger.warn({}, 'stopping: saving what is ready; interrupt again to exit at once');
  });
  try {
    const result = await exportToArchive({
      ...options,
      observer: seen.observer,
    });
    progress.stop();
    const confirm = ask && askBeforePrune(ask);
    const isSelective = given.search !== undefined || given.retryGaps;
    const selects = isSelective ? seen.has : undefined;
    const asking = { selects, confirm, isAgreedBeforehand: given.yes };
    const pruned = rules && (await deleteArchived(options, rules, result, asking));
    return resultOf(result, pruned, invocation);
  } catch (error) {
    // the line of `--json` says which run failed; a wrong command line is for people
    if (error instanceof UsageError || terminal.interruption.exitCode !== undefined) throw error;
    return {
      exitCode: exitCodeOfError(error),
      value: { status: 'failed', archive: options.out, run: runId },
      errors: [error],
      counts: countsOfNobody(checkedUsers(options).length),
    };
  } finally {
    progress.stop();
  }
}

async function dryRun(
  options: ExportToArchiveOptions,
  rules: Awaited<ReturnType<typeof deletionRules>> | undefined,
): Promise<CommandResult> {
  const seen = new CheckedSessions({});
  const plan = await planExport({ ...options, observer: seen.observer });
  const prune = rules && (await planDeletion(options, rules, { plan, selects: seen.has }));
  const error = listError(plan);
  const isWhole = !error && plan.failed + plan.unproven + plan.unknown.length === 0;
  return {
    exitCode: isWhole ? EXIT.complete : EXIT.gaps,
    value: { ...plan, prune },
    errors: error ? [error] : [],
    view: withPrune(planView(plan), prune),
  };
}

function resultOf(
  result: ExportResult,
  pruned: Awaited<ReturnType<typeof deleteArchived>> | undefined,
  { terminal, secrets, logger, runId, tookMs }: Invocation<typeof settings>,
): CommandResult {
  const { summary } = result;
  summary.duration_ms = tookMs();
  if (terminal.interruption.crash) summary.status = 'failed';
  const prune = pruned?.summary;
  const errors = [listError(summary), result.error, pruned?.error];
  return {
    exitCode: terminal.interruption.exitCode ?? exitCodeOfExport(result, pruned),
    value: { ...summary, prune },
    view: withPrune(
      exportView(summary, {
        reason: reasonOf(result, terminal, secrets),
        isNextStepShown: nextStep(result.error) !== undefined,
      }),
      prune,
    ),
    log: (place) => {
      const ofRun = withFields(logger, { run: runId });
      warnAtTheCap(ofRun, { ...summary, place });
      warnOfGaps(ofRun, { ...summary, place }, prune);
    },
    errors: errors.filter((error) => error !== undefined),
    counts: {
      ...countsOfExport(summary),
      ...(prune && countsOfDeletions(prune)),
      ...(result.error instanceof OtherProjectError && { doubtfulList: 1 }),
    },
  };
}

function withPrune(view: View, prune: PruneSummary | undefined): View {
  return prune ? { ...view, sections: [...(view.sections ?? []), pruneView(prune)] } : view;
}

/** A commit whose answer was still awaited may be in the archive nevertheless. */
function savedText({ commits, jobs }: { readonly commits: number; readonly jobs: number }): string {
  return commits === 0
    ? 'no commit of this run was confirmed, so nothing of it is known to be in the archive; the next run starts there again'
    : `${counted(commits, 'commit')} of this run with ${versionsOfQuestions(jobs)} ${agreeing(commits, 'is', 'are')} in the archive; the next run goes on there`;
}

/** Told as an error: a run whose list of users is doubtful is no success, whatever it has read. */
function listError({
  doubtful_list: doubt,
}: Pick<ExportSummary, 'doubtful_list'>): UsersListError | undefined {
  return doubt === undefined ? undefined : new UsersListError(doubt);
}

/** What ended the run early; empty where nothing did. */
function reasonOf(
  { summary, error }: ExportResult,
  { interruption }: Terminal,
  secrets: readonly string[],
): string {
  const isInterrupted = summary.status === 'interrupted';
  const reason: unknown = isInterrupted || interruption.crash ? interruption.signal.reason : error;
  return reason === undefined ? '' : redactText(messageOf(reason), secrets);
}

async function optionsOf({
  settings: given,
  sources: { flags },
  terminal,
  logger,
  secrets,
}: Invocation<typeof settings>): Promise<ExportToArchiveOptions> {
  if (given.usersFile === '-') logger.debug({}, 'reading users from stdin');
  const users = await readUsers(given, { terminal, logger });
  const apiKey = await readApiKey(given.apiKeyFile, { terminal, secrets, logger });
  const proxy = proxyFromEnvironment(terminal.environment);
  return {
    ...given,
    storage: storageOptionsOf(given),
    proxy,
    users,
    ...(scopeOf(given, flags) === 'named' ? { scope: { named: true } } : {}),
    expectedUsers: given.allowUnknownUsers ? [] : (given.user ?? []),
    allowUnlisted: given.allowUnknownUsers,
    // a shard has some of them
    isListOfAll: given.usersFile !== undefined && !given.shard && scopeOf(given, flags) === 'all',
    apiKey,
    acceptUnfetched: acceptedKinds(given.acceptUnfetched),
  };
}
