/** Formats erasures and compactions for verify: rows that a receipt covers are not damage. */
import type { ErasureNote, Rewrites } from '../../../archive/verify/verify-log.js';
import { counted } from '../../../base/text/counted.js';
import { totalRows } from '../tally.js';
import { planPath } from '../../../archive/paths.js';
import { asRunId } from '../../../model/ids.js';

/** How many erasures are listed; `--json` has all. */
const LISTED_ERASURES = 20;

export function rewritesJson({ erasures, compactions }: Rewrites) {
  return {
    erasures: erasures.map(({ finishedBy, ...erasure }) => ({
      ...erasure,
      finished_by: finishedBy,
    })),
    compactions,
  };
}

/** Null where nothing was rewritten. */
export function rewritesText({ erasures, compactions }: Rewrites): string | null {
  if (erasures.length + compactions.length === 0) return null;
  return `${counted(erasures.length, 'erasure')}, ${counted(compactions.length, 'compaction')}`;
}

/** The newest first. */
export function erasureList({ erasures }: Rewrites, wrong: ReadonlySet<string>) {
  const items = erasures.toReversed().map((erasure) => erasureItem(erasure, wrong));
  return { items, most: LISTED_ERASURES };
}

function erasureItem(
  { commit, at, receipt, reason, by, erased, finishedBy }: ErasureNote,
  wrong: ReadonlySet<string>,
): string {
  const { sessions, jobs, artifacts } = erased;
  const what = [
    counted(sessions, 'conversation'),
    counted(jobs, 'question'),
    counted(totalRows(erased.rows), 'row'),
    counted(artifacts, 'stored file'),
  ];
  const why = reason === null ? '' : ` (${reason.replace(/\s+/g, ' ')})`;
  const isLost = wrong.has(planPath(asRunId(receipt)));
  const how = isLost ? 'its plan is missing: see below' : 'the next run or compact finishes it';
  const end = finishedBy === null ? `; not finished: ${how}` : '';
  const who = by === null ? '' : ` by ${by}`;
  const text = `erased on ${at.slice(0, 10)}${who}${why}: ${what.join(', ')}`;
  return `${text}; receipt ${receipt} in commit ${commit}${end}`;
}
