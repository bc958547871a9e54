/** What the first page says of the jobs that are here or not: a pack, whose page it is, says it in the same boxes. */
import type { Archive } from '../archive/archive.js';
import type { LeftOutJob } from '../archive/reading/chosen-jobs.js';
import { otherSpellingsHere } from '../archive/reading/other-spellings.js';
import { lostPlaceText, type LostPlace } from '../archive/reading/lost-files.js';
import type { NamedDoubts } from '../archive/reading/doubts.js';
import type { RequestRecord } from '../archive/log/notes.js';
import type { DoubtfulFiles } from '../model/doubtful-files.js';
import { mayChangeText } from '../model/unsettled.js';
import type { FoundJobs } from '../search/search-archive.js';
import { leftOutJobText } from '../search/search-choice.js';
import { unreadTableText, type HandedTables } from '../search/unread-tables.js';
import type { PageNote } from './index-html.js';
import type { HoldLine } from './page-data.js';
import type { Survey } from './survey.js';

/** Jobs that are named on the page. */
const MAX_NAMED = 200;

/** Answers that were still changing, as far as anybody knows; nothing where each has settled. */
export function unsettledNotes(jobs: number): PageNote[] {
  if (jobs === 0) return [];
  const { what, why } = mayChangeText(jobs);
  const marked = jobs === 1 ? 'it is marked where it stands' : 'they are marked where they stand';
  const lines = [
    `${what}: ${why}; ${marked}`,
    'A report that is made after a later export can tell',
  ];
  return [{ heading: 'May still change', lines }];
}

/** What a report is called that nobody gives a title. */
export function reportTitle(
  { identity }: Pick<Archive, 'identity'>,
  request: Pick<RequestRecord, 'name'> | undefined,
): string {
  if (request) return `Report for the request ${request.name}`;
  const { project, base_url: baseUrl } = identity.service;
  return `Archive of ${project ?? new URL(baseUrl).host}`;
}

export function requestNotes(
  request: Pick<RequestRecord, 'name' | 'reason' | 'by' | 'since'> | undefined,
): PageNote[] {
  if (!request) return [];
  const { name, reason, by, since } = request;
  const line = `${name} of ${since.slice(0, 10)}, asked by ${by}: ${reason}`;
  return [{ heading: 'Made for a request', lines: [line] }];
}

/** Whom it is not about, although somebody may have meant them. */
export function spellingNotes(others: readonly string[]): PageNote[] {
  const line = otherSpellingsHere(others);
  if (line === null) return [];
  const who = others.length === 1 ? 'of this user' : 'of these users';
  return [{ heading: `Another spelling: ${who} nothing is here`, lines: [line] }];
}

const MOST_HOLDS = 20;

/** The holds that bind whom a request is about, as the pack and the workbook for it tell them. */
export function heldNotes({ users }: Pick<Survey, 'users'>): PageNote[] {
  const lines = [...users.values()].flatMap(({ user, holds, sessions }) => [
    ...holds.map((hold) => heldText(hold, `user ${user}`)),
    ...sessions.flatMap(({ session, holds: all }) =>
      all
        .filter((hold) => !holds.some((one) => isSameHold(one, hold)))
        .map((hold) => heldText(hold, `session ${session} of ${user}`)),
    ),
  ]);
  if (lines.length === 0) return [];
  const more = lines.length - MOST_HOLDS;
  const shown = more > 0 ? [...lines.slice(0, MOST_HOLDS), `and ${more} more`] : lines;
  return [{ heading: 'Holds', lines: shown }];
}

/** A hold on a user is shown with each session, too. */
function isSameHold(one: HoldLine, other: HoldLine): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function heldText(hold: HoldLine, subject: string): string {
  if ('withheld' in hold) return `${subject}: ${hold.withheld}`;
  const since = new Date(hold.since).toISOString().slice(0, 10);
  const what = subject.slice(0, 1).toUpperCase() + subject.slice(1);
  return `${what} is on hold since ${since}: ${hold.reason} (asked by ${hold.by})`;
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
    'In doubt: something of these conversations could not be archived, and it may have what was looked for';
  return [{ heading, lines: more === 0 ? lines : [...lines, `and ${more} more`] }];
}

/** @param file what names the others; undefined: only how many there are is said */
export function doubtfulNotes({ count, lines, others }: DoubtfulFiles, file?: string): PageNote[] {
  if (count === 0) return [];
  const rest = others === 0 ? [] : [`and ${others} more${whichNames(file)}`];
  const heading = 'Doubtful files: stored as the service sent them, with doubtful content';
  return [{ heading, lines: [...lines, ...rest] }];
}

/** `2 files that were archived are lost` */
export function lostText(files: number): string {
  return files === 1
    ? '1 file that was archived is lost'
    : `${files} files that were archived are lost`;
}

/** Files that the archive had, and that are not here: each place where one stood. */
export function lostNotes(
  places: readonly LostPlace[],
  { file, most = MAX_NAMED }: { readonly file: string; readonly most?: number },
): PageNote[] {
  if (places.length === 0) return [];
  const lines = places.slice(0, most).map((place) => {
    return `${place.user}, ${lostPlaceText(place)}: ${place.path} ${place.why}`;
  });
  const more = places.length - lines.length;
  return [
    {
      heading: 'Lost: these files were archived, and are missing or damaged in the archive now',
      lines: more === 0 ? lines : [...lines, `and ${more} more, which ${file} names`],
    },
  ];
}

/** Tables that were not searched to their end: words may stand there that nobody has found. */
export function unreadNotes(
  { named, others }: HandedTables,
  { file, most = MAX_NAMED }: { readonly file?: string; readonly most?: number } = {},
): PageNote[] {
  if (named.length + others === 0) return [];
  const lines = named.slice(0, most).map((one) => `${one.user_id}, ${unreadTableText(one)}`);
  const more = named.length - lines.length;
  return [
    {
      heading: 'Not searched to their end: what was looked for may stand in these tables, too',
      lines: [
        ...lines,
        ...(more === 0
          ? []
          : [`and ${more} more${file === undefined ? '' : `; listed in ${file}`}`]),
        ...(others === 0 ? [] : [`${others} of people of whom nothing is here, who are not named`]),
      ],
    },
  ];
}

function whichNames(file: string | undefined): string {
  return file === undefined ? '' : `, which ${file} names`;
}

interface NamedElsewhere {
  readonly leftOut: string;
  readonly takenIn: string;
  /** How many are named here. */
  readonly most?: number;
}

/** @param elsewhere where the others are named; undefined: only how many there are is said */
export function undatedNotes(
  found: Pick<FoundJobs, 'leftOut' | 'takenIn' | 'facts'> | undefined,
  elsewhere?: NamedElsewhere,
): PageNote[] {
  const most = elsewhere?.most ?? MAX_NAMED;
  const left = found?.facts.undated === 'exclude' ? 'Excluded by decision' : 'Left out';
  return [
    ...undatedNote(left, found?.leftOut ?? [], { file: elsewhere?.leftOut, most }),
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
  const rest = `and ${more} more${whichNames(file)}`;
  return [
    {
      heading: `${what}: nothing tells whether this was asked within the period`,
      lines: more === 0 ? lines : [...lines, rest],
    },
  ];
}
