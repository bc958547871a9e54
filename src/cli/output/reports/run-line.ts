/** The line of a run in the status of an archive: what it did, in counts. */
import { clauses } from '../../../base/text/clauses.js';
import { counted } from '../../../base/text/counted.js';
import type { ArchiveStatus } from '../../../completeness/archive-status.js';
import { COMPLETENESS_WORDS } from '../../../archive/reading/caveats/completeness.js';
import type { CommitKind } from '../../../archive/log/commit-kinds.js';
import type { RequestStep, RunChanges } from '../../../completeness/run-changes.js';
import type { RunStatus } from '../../../archive/state/run-history.js';
import { daysText } from '../../../archive/notes/retention-text.js';
import { secondText } from '../texts/time-text.js';
import { versionsOfQuestions } from '../../../model/question-versions.js';
import { visibleLine } from '../../../base/text/visible.js';
import { commitsText } from '../texts/archive-texts.js';

/** The words for runs that do not archive. */
const RUN_WORDS: Readonly<Partial<Record<CommitKind, string>>> = {
  prune: 'prune',
  compact: 'compaction',
  erase: 'erasure',
  abandon: 'cleanup after a run that did not end',
  accept: 'accepted gaps changed',
  suppress: 'whom exports skip changed',
  retention: 'least retention changed',
  snapshot: 'snapshot',
  drill: 'drill',
};

export function runLine(status: ArchiveStatus['runs'][number]) {
  const { run, kind, ended, commits, shard, queue, deletions, redacted, abandoned } = status;
  const text = clauses(
    ', ',
    `${secondText(ended)}, ${commitsText(commits)}: ${doneBy(status)}`,
    shard !== null && `shard ${visibleLine(shard)}`,
    queue !== null && `of the queued run ${visibleLine(queue)}`,
    deletions > 0 && counted(deletions, 'deletion'),
    redacted &&
      (kind === 'prune'
        ? 'without the deletions of whom was erased since'
        : 'redacted by an erasure'),
    abandoned && 'abandoned',
  );
  return [run, text] as const;
}

function doneBy(status: ArchiveStatus['runs'][number]): string {
  const { kind, request, holds_set: set, holds_released: released } = status;
  const holds = clauses(
    ', ',
    set > 0 && `${counted(set, 'hold')} set`,
    released > 0 && `${counted(released, 'hold')} released`,
  );
  const by = status.by.length === 0 ? '' : ` by ${status.by.map(visibleLine).join(' and ')}`;
  if (kind === 'hold') return `${holds || 'holds changed'}${by}`;
  if (kind === 'drill' && status.drill) return drillText(status.drill);
  if (status.retention) return `${retentionText(status.retention)}${by}`;
  if (kind !== 'request' && kind !== 'work') {
    const words = RUN_WORDS[kind];
    return words === undefined ? archivedOf(status) : `${words}${by}`;
  }
  if (request?.step === 'opened') return `${stepText(request)}, asked for${by}`;
  return `${clauses(', ', request ? stepText(request) : 'a request changed', holds !== '' && holds)}${by}`;
}

function drillText({ sample, sessions, differences }: NonNullable<RunChanges['drill']>): string {
  const of = `of ${counted(sessions, 'conversation')}${sample < 1 ? ' (a sample)' : ''}`;
  return differences === 0
    ? `drill ${of}, all equal`
    : `drill ${of} FAILED: ${counted(differences, 'difference')}`;
}

function retentionText({
  min_ms: minMs,
  before_ms: beforeMs,
}: NonNullable<RunChanges['retention']>): string {
  return `least retention changed from ${floorOf(beforeMs ?? 0)} to ${floorOf(minMs)}`;
}

function floorOf(ms: number): string {
  return ms === 0 ? 'none' : daysText(ms);
}

const STEP_TEXTS: Readonly<Record<RequestStep, (name: string) => string>> = {
  opened: (name) => `request ${name} opened`,
  search: (name) => `search recorded for the request ${name}`,
  pack: (name) => `evidence pack made for the request ${name}`,
  workbook: (name) => `workbook made for the request ${name}`,
  report: (name) => `report made for the request ${name}`,
  copy: (name) => `pseudonymised copy made for the request ${name}`,
  decision: (name) => `decision recorded for the request ${name}`,
  closed: (name) => `request ${name} closed`,
};

function stepText({ name, step }: NonNullable<RunChanges['request']>): string {
  return STEP_TEXTS[step](visibleLine(name));
}

/** How many users of a run are complete, and not complete by decision, as the export says it. */
export function completeText(
  {
    complete,
    incomplete_by_decision: decided,
  }: Pick<RunStatus, 'complete' | 'incomplete_by_decision'>,
  of = '',
): string {
  return [`${complete} ${of}complete`, ...decidedText(decided)].join(', ');
}

export function decidedText(decided: number): string[] {
  return decided === 0 ? [] : [`${decided} ${COMPLETENESS_WORDS['incomplete-by-decision']}`];
}

/** How many users lack what nobody has decided on. */
export function withGaps({
  users,
  complete,
  incomplete_by_decision: decided,
}: Pick<RunStatus, 'users' | 'complete' | 'incomplete_by_decision'>): string[] {
  const gaps = users - complete - decided;
  return gaps > 0 ? [`${gaps} with gaps`] : [];
}

/** A job that changed, and is written again, counts once more. */
function archivedOf({
  users,
  jobs,
  redacted,
  users_to_read: toRead,
  scope,
  outcome,
  ...counts
}: RunStatus) {
  if (redacted) {
    return `${versionsOfQuestions(jobs)} archived, with those that are erased since; ${counted(users, 'user')} left`;
  }
  // a copy of named conversations has listed nobody
  if (toRead === null && users === 0) return `${versionsOfQuestions(jobs)} archived`;
  if (toRead === null) return `${counted(users, 'user')}, ${versionsOfQuestions(jobs)} archived`;
  const read = `${users} of ${counted(toRead, 'user')}`;
  if (outcome === 'doubtful_list')
    return `FAILED, the list of users was doubtful: ${read} recorded`;
  if (scope === 'part') return `of ${read} a part, ${versionsOfQuestions(jobs)} archived`;
  const whole = outcome === 'complete' ? 'no gaps' : completeText(counts);
  return `${read}, ${whole}, ${versionsOfQuestions(jobs)} archived`;
}
