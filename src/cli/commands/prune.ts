/** Plans or carries out the deletion of archived sessions from the service. */
import { choosesSessions, pruneRules } from '../../prune/prune-rules.js';
import { givenValue, type SettingSources } from '../../config/resolve-settings.js';
import { proxyFromEnvironment } from '../../base/http/proxy.js';
import { UsageError, codeOf, fileErrorReason } from '../../base/error.js';
import { pruneSettings } from '../../config/rewrite-settings.js';
import { serviceSettings } from '../../config/access-settings.js';
import { exportSettings } from '../../config/export-settings.js';
import { commitSettings } from '../../config/signing-settings.js';
import type { PlanChoices, PlanOptions, PruneChoices } from '../../prune/prune-choices.js';
import { type SavedPlan, decodePlan, encodePlan } from '../../prune/plan/saved-plan.js';
import { storageSettings } from '../../config/storage-settings.js';
import { telemetrySettings } from '../../config/telemetry-settings.js';
import type { RunScope } from '../../telemetry/run-report.js';
import { withArchive } from '../input/access.js';
import { readApiKey } from '../input/api-key.js';
import { pruneRulesOf } from '../input/prune-rules.js';
import { askBeforePrune } from '../input/ask-before-prune.js';
import { type CommandResult, defineCommand, type Invocation } from '../command.js';
import { exitCodeOfPrune } from '../exit-code.js';
import { consent } from '../input/confirm.js';
import { countsOfPrune } from '../output/run-counts.js';
import type { View } from '../output/view.js';
import { pruneView } from '../output/reports/prune-report.js';
import { warnOfGaps } from '../output/warn-of-gaps.js';
import { writeFile } from 'node:fs/promises';
import { readGiven } from '../input/given-file.js';

const settings = {
  ...pruneSettings,
  ...serviceSettings,
  ...storageSettings,
  project: exportSettings.project,
  pageSize: exportSettings.pageSize,
  ...commitSettings,
  noWait: exportSettings.noWait,
  ...telemetrySettings,
};

export const pruneCommand = defineCommand({
  usage: 'prune [archive]',
  describe: 'Delete from the service what the archive provably holds; shows it, and asks',
  positionals: {
    archive:
      'The archive: a directory or s3://bucket/prefix; default of --dry-run: out of the configuration',
  },
  archiveOfSettings: 'to-read',
  settings,
  examples: {
    'jobvault prune ./archive --older-than 30d --dry-run':
      'shows what could be deleted, and why the rest is kept',
    'jobvault prune ./archive --older-than 30d --keep 20 --hold-file holds.txt':
      'shows it, asks, and deletes; exit code 7 when a session was refused',
    'jobvault prune ./archive --free-slots 11 --yes':
      'makes room under the limit of 150, and asks nobody',
    'jobvault prune ./archive --keep 20 --save-plan plan.json': 'saves a plan to review',
    'jobvault prune ./archive --plan plan.json': 'carries it out, within 24 hours',
  },
  isDryRun,
  scopeOf,
  run: (invocation) =>
    isDryRun(invocation.settings) ? showPlan(invocation) : carryOut(invocation),
});

type PruneInvocation = Invocation<typeof settings>;

function isDryRun({ dryRun, savePlan }: Partial<PruneInvocation['settings']>): boolean {
  return dryRun === true || savePlan !== undefined;
}

/** What a night refuses is not forgotten because somebody prunes a part of it and that goes well. */
function scopeOf(
  { session, plan }: Partial<PruneInvocation['settings']>,
  flags: SettingSources['flags'],
): RunScope {
  if (session !== undefined || plan !== undefined) return 'part';
  return settings.user.name in flags ? 'named' : 'all';
}

async function showPlan(invocation: PruneInvocation): Promise<CommandResult> {
  const { settings: given } = invocation;
  const { savePlan } = given;
  if (savePlan !== undefined && given.plan !== undefined) {
    throw new UsageError(
      '--save-plan makes a new plan, and --plan carries one out; give one of them',
    );
  }
  const choices = { ...(await choicesOf(invocation)), access: await accessOf(invocation) };
  const { summary, saved } = await withArchive(invocation, (archive) => archive.planPrune(choices));
  if (savePlan !== undefined) await writePlanFile(savePlan, saved);
  const next =
    savePlan === undefined ? 'run it without --dry-run' : `give this plan with --plan ${savePlan}`;
  if (choices.plan === undefined && !choosesSessions(pruneRules(choices.rules ?? {}))) {
    return {
      value: summary,
      view: withHint(pruneView(summary, 'without a rule'), RULE_HINT),
    };
  }
  const view = pruneView(summary);
  return {
    value: summary,
    view: (summary.planned ?? 0) > 0 ? withHint(view, `\nTo delete, ${next}.`) : view,
  };
}

function withHint(view: View, hint: string): View {
  return { ...view, lines: [...(view.lines ?? []), hint] };
}

const RULE_HINT =
  '\nTo delete, give a rule: --older-than, --keep, --free-slots, --session, or --all.';

/** The access of a plan is for the clock alone, and needs no key. */
async function accessOf(invocation: PruneInvocation): Promise<PlanOptions['access']> {
  const { settings: given, terminal } = invocation;
  const apiKey = await readApiKey(given.apiKeyFile, invocation).catch(() => undefined);
  if (apiKey === undefined) return undefined;
  return { ...given, apiKey, proxy: proxyFromEnvironment(terminal.environment) };
}

async function carryOut(invocation: PruneInvocation): Promise<CommandResult> {
  const { settings: given, terminal, runId, logger, tookMs } = invocation;
  const ask = consent(invocation);
  const baseUrl = givenValue(serviceSettings.baseUrl, given.baseUrl);
  const apiKey = await readApiKey(given.apiKeyFile, invocation);
  const choices: PruneChoices = {
    ...given,
    ...(await choicesOf(invocation)),
    baseUrl,
    apiKey,
    proxy: proxyFromEnvironment(terminal.environment),
    confirm: askBeforePrune(ask),
    isAgreedBeforehand: given.yes,
    runId,
  };
  const result = await withArchive(invocation, (archive) => archive.prune(choices));
  const { summary, error } = result;
  summary.duration_ms = tookMs();
  return {
    exitCode: terminal.interruption.exitCode ?? exitCodeOfPrune(result),
    value: summary,
    view: pruneView(summary),
    log: (place) => warnOfGaps(logger, { place, gaps: [] }, summary),
    errors: error === undefined ? [] : [error],
    counts: countsOfPrune(summary),
  };
}

async function choicesOf({
  settings: given,
}: PruneInvocation): Promise<PlanChoices & { readonly plan: SavedPlan | undefined }> {
  return {
    rules: {
      ...(await pruneRulesOf(given)),
      users: given.user ?? [],
      sessions: given.session ?? [],
    },
    baseUrl: given.baseUrl,
    project: given.project,
    plan: given.plan === undefined ? undefined : await readPlanFile(given.plan),
  };
}

/** @throws {UsageError} it cannot be read, or is not a plan */
async function readPlanFile(file: string, flag = '--plan'): Promise<SavedPlan> {
  return decodePlan((await readGiven(flag, file)).toString(), `${flag} ${file}`);
}

/** Replaces an older plan, but no other file. @throws {UsageError} */
async function writePlanFile(file: string, plan: SavedPlan): Promise<void> {
  try {
    await writeFile(file, encodePlan(plan), { flag: 'wx' });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw unwritable(file, error);
    await readPlanFile(file, '--save-plan');
    await writeFile(file, encodePlan(plan)).catch((cause: unknown) => {
      throw unwritable(file, cause);
    });
  }
}

function unwritable(file: string, cause: unknown): UsageError {
  return new UsageError(`--save-plan ${file} cannot be written: ${fileErrorReason(cause)}`, {
    cause,
  });
}
