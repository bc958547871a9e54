/** The pack's page: the report of what is in the pack, which says first what the pack is and what is not in it. */
import type { ViewedUser } from '../archive/reading/archive-view.js';
import { summaryOf } from '../archive/state/session-summary.js';
import type { PageNote } from '../report/index-html.js';
import { surveyOf, type SummedUser } from '../report/survey.js';
import { writePageOf, type ReportOptions } from '../report/write-report.js';
import {
  doubtfulNotes,
  lostNotes,
  lostText,
  spellingNotes,
  undatedNotes,
  unreadNotes,
} from '../report/page-notes.js';
import type { Bag } from './bag.js';
import { artifactPathInPack, isInDoubt } from './facts.js';
import { checkNote } from './pack-checks.js';
import { missingText, type PackFacts } from './pack-readme.js';
import type { EvidenceSurvey } from './plan.js';
import type { SessionIndex } from './session-index.js';

/** A user as the page shows it. Its counts come from the log alone, like those of the pack, and from no cache. */
export function summedUser({ sessions, ...user }: ViewedUser): SummedUser {
  return {
    ...user,
    sessions: sessions.map(({ state, ...session }) => ({ ...session, state: summaryOf(state) })),
  };
}

interface PackPage {
  readonly bag: Bag;
  /** Of the view, in its order. */
  readonly users: readonly SummedUser[];
  readonly index: SessionIndex;
  readonly facts: PackFacts;
  readonly report: ReportOptions;
}

/** Writes `index.html` and what it loads. */
export async function writePackPage(page: PackPage): Promise<void> {
  const { bag, users, index, facts, report } = page;
  const { survey, request } = facts;
  const whole = {
    files: bag.payload,
    survey: await surveyOf(survey.view, users, { found: survey.found, request }),
    selected: survey.rows,
    placeOf: artifactPathInPack,
    textOf: (session: number) => addressOf(index.transcriptOf(session)),
    placesOf: (session: number) => Promise.resolve(index.placesOf(session)),
    notes: notesOf(page),
  };
  await writePageOf(whole, report);
}

function addressOf(path: string | undefined): string | undefined {
  return path?.split('/').map(encodeURIComponent).join('/');
}

function notesOf({ index, facts }: PackPage): PageNote[] {
  const { survey, request, organization, search, packed, accepted, signer, authorities } = facts;
  const isSearch = search !== null;
  const looksForWords = search?.searched_in != null;
  const files = ['README.txt', 'summary.csv', 'index.csv', 'items.csv', 'gaps.csv', 'holds.csv'];
  const links = [
    ...files,
    ...(looksForWords ? ['tables-not-searched.csv'] : []),
    ...(isSearch ? ['search.json'] : []),
  ];
  return [
    {
      heading: 'Evidence pack',
      lines: [
        ...(organization === undefined ? [] : [`Handed over by ${organization}`]),
        ...(request === undefined
          ? []
          : [
              `Made for the request ${request.name} of ${request.since.slice(0, 10)}, asked by ${request.by}: ${request.reason}`,
            ]),
        completeText(facts),
        ...searchLimits(survey),
        ...(accepted.gaps === 0
          ? []
          : [`Somebody has accepted what stays missing: ${accepted.lines.join('; ')}`]),
        ...(packed.unsettled.count === 0 ? [] : [packed.unsettled.line.replace(/\.$/, '')]),
        ...(authorities.length === 0
          ? []
          : [
              `When it was whole, ${authorities.join(', ')} ${authorities.length === 1 ? 'was' : 'were'} asked for a time stamp; what was answered is in the directory above this page (timestamp-1.tsr), and README.txt says how it is checked and tells the time`,
            ]),
        ...(looksForWords
          ? [
              'Each question says where the words of the search were found in it; they are marked there, except where it says that they are not in what is shown',
            ]
          : []),
        'The same conversations are texts in the folder transcripts, and records as the service sent them in the folder records',
      ],
      links: links.map((href) => ({ href, text: href })),
    },
    checkNote(signer),
    ...spellingNotes(survey.selection.otherSpellings),
    ...lostNotes(survey.view.lost.places, { file: 'gaps.csv', most: 20 }),
    ...undatedNotes(survey.found, { leftOut: 'gaps.csv', takenIn: 'items.csv' }),
    ...doubtfulNotes(packed.doubtful, 'items.csv'),
    ...unreadNotes(survey.unread, { file: 'tables-not-searched.csv', most: 20 }),
    ...holdNotes(index),
  ];
}

function completeText(facts: PackFacts): string {
  const { gaps, leftOut, excluded, survey } = facts;
  const lost = survey.view.lost.files;
  const of = lost === 0 ? '' : `${lostText(lost)}; `;
  if (gaps + leftOut > 0) {
    return `It is not complete: ${of}${missingText(facts)}, named in gaps.csv`;
  }
  const whole = wholeText(facts);
  return excluded === 0 ? whole : `${whole}; ${missingText(facts)}, named in gaps.csv`;
}

function wholeText({ packed, survey }: PackFacts): string {
  if (isInDoubt(packed, survey)) {
    return 'Nothing is known to be missing; that it is complete is not proven (README.txt says why)';
  }
  const isSearched = survey.found?.facts.not_searched != null;
  const whole = isSearched
    ? 'Nothing of what the search found is missing'
    : 'Nothing that it is about is missing';
  return packed.unsettled.count > 0 ? `${whole}, as it was when it was read last` : whole;
}

/** What words were not looked for in: whether anything is missing is another question. */
function searchLimits({ found }: EvidenceSurvey): string[] {
  const limits = found?.facts.not_searched ?? null;
  if (limits === null) return [];
  return [`The search did not look at ${limits}: what stands only there was not found`];
}

function holdNotes({ holdLines, otherHolds }: SessionIndex): PageNote[] {
  const lines = [...holdLines, ...otherHolds];
  return lines.length === 0 ? [] : [{ heading: 'Holds', lines }];
}
