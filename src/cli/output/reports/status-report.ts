/** Formats the status of an archive for people. */
import { completenessClauseOf } from '../../../archive/reading/caveats/caveat-text.js';
import { floorText } from '../../../archive/notes/retention-text.js';
import { clauses } from '../../../base/text/clauses.js';
import { counted } from '../../../base/text/counted.js';
import type { ArchiveStatus } from '../../../completeness/archive-status.js';
import type { FailedRun } from '../../monitors/failed-run.js';
import type { Fact } from '../aligned.js';
import { foreignText } from '../texts/archive-texts.js';
import { atTheCapStep, atTheCapText } from '../texts/user-texts.js';
import type { View } from '../view.js';
import { runLine } from './run-line.js';
import { drillText, fullCheckText, lapName, lapRowText, readBackText } from './status/checks.js';
import { holdsText, openErasureText, openRequestText } from './status/decisions.js';
import { lastWorkerText, queuedRunsViews } from './status/fleet.js';
import { rowsOf, toldRows } from './status/rows.js';
import {
  diedText,
  failedRunText,
  lastExportText,
  oldestListingText,
  openDeletionsText,
  runningText,
} from './status/runs.js';
import {
  conversationsText,
  questionsText,
  sizeText,
  usersText,
} from './status/what-is-archived.js';
import { mayChangeText, openGapsText } from './status/what-is-missing.js';

const ROWS_OF_COPY =
  'run_id is that of the making of this copy, the same in every row; exported_at is the end of the day (UTC) of the export that wrote the row';
const CREATED_AT_OF = {
  days: 'created_at is the beginning of the day of the question',
  kept: 'created_at is that of the question',
};

interface StatusContext {
  /** Whether the configuration makes somebody delete from the service. */
  readonly hasRules: boolean;
  /** Runs that are not in the log. */
  readonly failedRuns: readonly FailedRun[];
  /** Ages are counted up to it. */
  readonly nowMs: number;
  /** What its queue has and has lost follows. */
  readonly hasQueue?: boolean;
  /** Whether artifacts were counted. */
  readonly isExact?: boolean;
}

export function statusView(status: ArchiveStatus, context: StatusContext): View {
  const deletes = context.hasRules || status.holds > 0 || hasDeleted(status);
  return {
    headline: clauses(
      '; ',
      `${status.location}: ${completenessClauseOf(status.caveats)}`,
      status.last_export && datasetsClause(status.last_export),
    ),
    caveats: status.caveats,
    facts: [...factsOfPlace(status), ...factsOfContent(status, { ...context, deletes })],
    sections: [
      ...lastRunsViews(status),
      ...queuedRunsViews(status.open_runs, context.hasQueue ?? false),
      notProvenView({ isCopy: status.pseudonymised !== null, deletes }),
    ],
  };
}

/** They are the project's: no user and no conversation lacks them. */
function datasetsClause({ dataset_gaps: gaps }: { readonly dataset_gaps: number }): string | null {
  return gaps === 0 ? null : `${counted(gaps, 'gap')} of datasets`;
}

/** Whether something was deleted from the service, or was to be. */
function hasDeleted({ sessions, runs }: ArchiveStatus): boolean {
  return (
    sessions.deleted > 0 || runs.some(({ kind, deletions }) => kind === 'prune' || deletions > 0)
  );
}

function factsOfPlace({ service, formats, pseudonymised: copy }: ArchiveStatus): Fact[] {
  const { base_url: url, project } = service;
  return toldRows([
    ['service', clauses(', ', url, project !== null && `project ${project}`)],
    ['formats', formats.join(', ')],
    ['rows', copy && `${ROWS_OF_COPY}; ${CREATED_AT_OF[copy.times]}`],
  ]);
}

function factsOfContent(
  status: ArchiveStatus,
  context: StatusContext & { readonly deletes: boolean },
): Fact[] {
  const { head, lost_commit: lost, users, sessions, may_change: mayChange } = status;
  const { failedRuns, nowMs, deletes, isExact = false } = context;
  const isCopy = status.pseudonymised !== null;
  // nothing is deleted from the service by a copy
  const capText = isCopy ? atTheCapText : atTheCapStep;
  return toldRows([
    ['newest commit', head ? `${head.number}:${head.digest}` : 'none'],
    ['DAMAGED', lost && `${lost.path} ${lost.detail}; what follows may lack what it had`],
    ['size', sizeText(status.size, isExact)],
    ...rowsOf('running now', status.running, runningText),
    ...rowsOf('died', status.died, diedText),
    ...rowsOf('left open', status.open_deletions, openDeletionsText),
    ['last export', lastExportText(status)],
    ['last worker', lastWorkerText(status)],
    ['oldest listing', oldestListingText(status, nowMs), !isCopy],
    ...failedRuns.map(
      (run) => [`failed ${run.command}`, failedRunText(run, status.last_export)] as const,
    ),
    ['users', usersText(users, status)],
    ['at the cap', capText(users.at_the_cap, status.at_the_cap)],
    ['conversations', conversationsText(sessions, { deletes })],
    ['questions', questionsText(status, isCopy)],
    ['may still change', mayChangeText(mayChange, mayChange.users), !isCopy],
    ['gaps', openGapsText(status)],
    ['kept at least', status.min_retention && floorText(status.min_retention)],
    ['on hold', holdsText(status)],
    ...rowsOf('open request', status.open_requests, openRequestText),
    ...rowsOf('not finished', status.open_erasures, openErasureText),
    ['foreign', foreignText(status.foreign)],
    ...status.laps.map((lap) => [lapName(lap), lapRowText(lap)] as const),
    ['checking everything takes', fullCheckText(status), !isCopy && sessions.total > 0],
    ['last drill', drillText(status), !isCopy],
    ['files read back', readBackText(status)],
  ]);
}

const NOT_IN_LOG = '  A run that saved nothing is not in the log; its own log and metrics have it.';

const UNDER_EACH =
  '  What two spellings of a user list counts under each of them; in the summary of a run once.';

function lastRunsViews({
  runs,
  shared_sessions: shared,
  pseudonymised: copy,
}: ArchiveStatus): View[] {
  if (runs.length === 0) return [];
  const isListedTwice = shared.some(({ spellings }) => spellings);
  const lines = [...(isListedTwice ? [UNDER_EACH] : []), ...(copy === null ? [NOT_IN_LOG] : [])];
  return [{ headline: 'Last runs', facts: runs.map(runLine), lines }];
}

const FILES_UNREAD =
  '  The files, and the snapshot that these counts come from: verify compares both with the log.';
const NEWS_UNREAD = '  That nothing is new on the service: the next export finds out.';
/** Nothing is exported to a copy, and it is made as a whole. */
const NEWS_OF_ORIGINAL =
  '  That the archive it was made of has nothing newer: make a new copy to have that, too.';
/** For those who delete from the service. */
const ASKED_AT_THE_LAST =
  '  That no question is lost: between the final check of a session and its DELETE there is a moment in which one can be asked. The service cannot delete only what has not changed.';

function notProvenView({
  isCopy,
  deletes,
}: {
  readonly isCopy: boolean;
  readonly deletes: boolean;
}): View {
  const news = isCopy ? NEWS_OF_ORIGINAL : NEWS_UNREAD;
  return {
    headline: 'What this does not prove',
    lines: [FILES_UNREAD, news, ...(deletes ? [ASKED_AT_THE_LAST] : [])],
  };
}
