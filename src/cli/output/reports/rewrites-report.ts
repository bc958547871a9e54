/** Formats erasures and compactions for verify: rows that a receipt covers are not damage. */
import type { ErasureNote, Rewrites } from '../../../archive/log/rewrites.js';
import { counted, totalRows } from '../aligned.js';
import { visible } from '../visible.js';

/** How many erasures are listed, the newest; `--json` has all. */
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

export function rewriteLines({ erasures }: Rewrites): string[] {
  const untold = erasures.length - LISTED_ERASURES;
  return [
    ...(untold > 0 ? [`    … and ${untold} earlier erasures: --json lists all\n`] : []),
    ...erasures.slice(-LISTED_ERASURES).map(erasureLine),
  ];
}

function erasureLine({ commit, at, receipt, reason, erased, finishedBy }: ErasureNote): string {
  const { sessions, jobs, artifacts } = erased;
  const what = [
    counted(sessions, 'session'),
    counted(jobs, 'job'),
    counted(totalRows(erased.rows), 'row'),
    counted(artifacts, 'file'),
  ];
  const why = reason === null ? '' : ` (${reason.replace(/\s+/g, ' ')})`;
  const end = finishedBy === null ? '; not finished: the next run or compact finishes it' : '';
  const text = `erased on ${at.slice(0, 10)}${why}: ${what.join(', ')}`;
  return visible(`    ${text}; receipt ${receipt} in commit ${commit}${end}\n`);
}
