/** What the first page says of the jobs that are here or not: a pack, whose page it is, says it in the same boxes. */
import type { LeftOutJob } from '../archive/reading/chosen-jobs.js';
import type { NamedDoubts } from '../archive/reading/doubts.js';
import type { RequestRecord } from '../archive/log/notes.js';
import type { DoubtfulFiles } from '../model/doubtful-files.js';
import type { FoundJobs } from '../search/search-archive.js';
import { leftOutJobText } from '../search/search-choice.js';
import type { PageNote } from './index-html.js';

/** Jobs that are named on the page. */
const MAX_NAMED = 200;

/** Answers that were still changing, as far as anybody knows; nothing where each has settled. */
export function unsettledNotes(jobs: number): PageNote[] {
  if (jobs === 0) return [];
  const lines = [
    jobs === 1
      ? '1 answer may not be the last one: it was new when it was read last, or of unknown age; it is marked where it stands'
      : `${jobs.toLocaleString('en-US')} answers may not be the last ones: they were new when they were read last, or of unknown age; they are marked where they stand`,
    'A report that is made after a later export can tell',
  ];
  return [{ heading: 'May still change', lines }];
}

export function requestNotes(
  request: Pick<RequestRecord, 'name' | 'reason' | 'by' | 'since'> | undefined,
): PageNote[] {
  if (!request) return [];
  const { name, reason, by, since } = request;
  const line = `${name} of ${since.slice(0, 10)}, asked by ${by}: ${reason}`;
  return [{ heading: 'Made for a request', lines: [line] }];
}

/** @param titles of those of the sessions of which something is here */
export function doubtNotes(
  doubts: NamedDoubts | undefined,
  titles: ReadonlyMap<string, string | null>,
): PageNote[] {
  if (!doubts || doubts.gap_sessions.length === 0) return [];
  const lines = doubts.gap_sessions.map((id) => {
    const title = titles.get(id);
    if (title === undefined) return `Session ${id}, of which nothing is here`;
    return `“${title ?? '(no name)'}” (session ${id})`;
  });
  const more = doubts.sessions_with_gaps - lines.length;
  const heading =
    'In doubt: the search looked in these conversations, and something of each is missing';
  return [{ heading, lines: more === 0 ? lines : [...lines, `and ${more} more`] }];
}

/** Of a pack. */
export function doubtfulNotes({ count, lines, others }: DoubtfulFiles): PageNote[] {
  if (count === 0) return [];
  const rest = others === 0 ? [] : [`and ${others} more, which items.csv names`];
  const heading = 'Doubtful files: stored as the service sent them, with doubtful content';
  return [{ heading, lines: [...lines, ...rest] }];
}

interface NamedElsewhere {
  readonly leftOut: string;
  readonly takenIn: string;
  /** How many are named here. */
  readonly most?: number;
}

/** @param elsewhere where the others are named; undefined: only how many there are is said */
export function undatedNotes(
  found: Pick<FoundJobs, 'leftOut' | 'takenIn'> | undefined,
  elsewhere?: NamedElsewhere,
): PageNote[] {
  const most = elsewhere?.most ?? MAX_NAMED;
  return [
    ...undatedNote('Left out', found?.leftOut ?? [], { file: elsewhere?.leftOut, most }),
    ...undatedNote('Taken in', found?.takenIn ?? [], { file: elsewhere?.takenIn, most }),
  ];
}

function undatedNote(
  what: string,
  jobs: readonly LeftOutJob[],
  { file, most }: { readonly file: string | undefined; readonly most: number },
): PageNote[] {
  if (jobs.length === 0) return [];
  const lines = jobs.slice(0, most).map((one) => `${one.user}, ${leftOutJobText(one)}`);
  const more = jobs.length - lines.length;
  const rest = `and ${more} more${file === undefined ? '' : `, which ${file} names`}`;
  return [
    {
      heading: `${what}: nothing tells whether this was asked within the period`,
      lines: more === 0 ? lines : [...lines, rest],
    },
  ];
}
