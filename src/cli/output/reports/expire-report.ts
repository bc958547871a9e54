/** Formats the plan or the result of expire for people. */
import { formatDuration } from '../../../base/units.js';
import type { ExpiredSession, ExpireSummary } from '../../../rewrite/expiry/expire-options.js';
import { counting } from '../../../model/user-spelling.js';
import { counted } from '../../../base/text/counted.js';
import { conversationsAndQuestions, totalRows } from '../tally.js';
import { afterRefusal } from '../next-step.js';
import type { View } from '../view.js';
import { visibleLine } from '../../../base/text/visible.js';
import { commitsText } from '../texts/archive-texts.js';
import { onlyElsewhereText, questionsText } from '../texts/spelling-texts.js';
import { stayingTexts } from '../texts/receipt-texts.js';

/** @param isAgreed a plan is carried out at once, without a question */
export function expireView(summary: ExpireSummary, isAgreed = false): View {
  const { sessions, planned, refused, held, time_unknown: unknown, kept } = summary;
  const { receipt, commits, redacted } = summary;
  const stillThere = counting(sessions).filter(
    ({ outcome, at_service: isThere }) => outcome !== 'refused' && outcome !== 'held' && isThere,
  ).length;
  return {
    headline: headline(summary, isAgreed),
    facts: [
      [
        'older than',
        `${summary.older_than.slice(0, 10)}, counted from ${summary.counted_from.slice(0, 10)}`,
      ],
      ['to erase', planned > 0 ? conversationsAndQuestions(plannedOf(sessions)) : null],
      ['erased', erasedText(summary)],
      ['also', alsoText(summary)],
      ['receipt', receipt && `${receipt}, in ${commitsText(commits)}`],
      ['log', receipt && `${counted(redacted, 'commit')} redacted; the chain holds`],
      ['log', planned > 0 ? stayingTexts(summary) : null],
      ['refused', refused === 0 ? 'none' : refusedText(refused, unknown)],
      ['kept by a hold', held > 0 ? counted(held, 'conversation') : null],
      ['kept', kept === 0 ? 'none' : `${counted(kept, 'conversation')} with something newer`],
      ['but', summary.keeps_deleted],
      ['time', formatDuration(summary.duration_ms)],
    ],
    lists: [{ items: sessions.map(sessionLine) }],
    lines: stillThere > 0 ? [atService(stillThere)] : [],
    next:
      summary.status === 'refused'
        ? afterRefusal(sessions.filter(({ outcome }) => outcome === 'refused'))
        : undefined,
  };
}

export function expireQuestion({ archive, sessions }: ExpireSummary): string {
  return `Erase ${conversationsAndQuestions(plannedOf(sessions), ' with ')} from ${archive} permanently?`;
}

function plannedOf(sessions: readonly ExpiredSession[]): ExpiredSession[] {
  return counting(sessions.filter(({ outcome }) => outcome === 'planned'));
}

function headline({ status, archive, planned, expired }: ExpireSummary, isAgreed: boolean): string {
  switch (status) {
    case 'planned':
      return isAgreed
        ? `Plan, carried out now (--yes): ${counted(planned, 'conversation')} of ${archive} to erase`
        : `Plan, nothing is erased: ${counted(planned, 'conversation')} of ${archive} would go`;
    case 'declined':
      return `Nothing was erased: not confirmed for ${counted(planned, 'conversation')} of ${archive}`;
    case 'complete':
      return expired === 0
        ? `Complete: nothing to erase from ${archive}`
        : `Complete: ${counted(expired, 'conversation')} erased from ${archive}`;
    case 'refused':
      return expired === 0
        ? `Refused: nothing erased from ${archive}`
        : `Refused in part: ${counted(expired, 'conversation')} erased from ${archive}; others were refused`;
  }
}

function erasedText({ erased, receipt }: ExpireSummary): string | null {
  if (erased === null || receipt === null) return null;
  const what = [
    counted(erased.sessions, 'conversation'),
    counted(erased.jobs, 'question'),
    counted(totalRows(erased.rows), 'row'),
    `${counted(erased.artifacts, 'stored file')} of no other user`,
  ];
  return what.join(', ');
}

function alsoText({ sessions, receipt }: ExpireSummary): string | null {
  const going = sessions.filter(({ outcome }) => outcome === 'planned' || outcome === 'erased');
  return onlyElsewhereText(going, receipt === null ? 'planned' : 'erased');
}

function refusedText(refused: number, unknown: number): string {
  const text = counted(refused, 'conversation');
  return unknown === 0 ? text : `${text}, ${unknown} because a time is unknown`;
}

/** The words of `prune`. */
function outcomeText(outcome: ExpiredSession['outcome']): string {
  if (outcome === 'held') return 'kept by a hold';
  return outcome === 'planned' ? 'to erase' : outcome;
}

function sessionLine(expired: ExpiredSession): string {
  const { user, session, outcome, detail } = expired;
  const text = outcomeText(outcome);
  // in the words of `prune`
  const what = `user ${user}, session ${session} (${questionsText(expired)})`;
  return visibleLine(`${what}: ${text}: ${detail}`);
}

function atService(sessions: number): string {
  return `
The service still lists ${sessions} of these conversations: the next export archives them again, unless they
are deleted from the service or the user is no longer exported.`;
}
