/** The pack's page: the report of what is in the pack, which says first what the pack is and what is not in it. */
import { caveatsOf, type Caveat } from '../archive/reading/caveats/caveat.js';
import type { PageNote } from '../report/first-page/index-html.js';
import type { Survey } from '../making/survey.js';
import type { ReportOptions } from '../report/report-options.js';
import { writePageOf } from '../report/write-report.js';
import type { Bag } from './bag.js';
import { artifactPathInPack } from './pack-paths.js';
import { checkNote } from './pack-checks.js';
import type { PackFacts } from './pack-facts.js';
import { NAMED_IN_PACK } from './named-in-pack.js';
import type { SessionIndex } from './session-index.js';

interface PackPage {
  readonly bag: Bag;
  readonly survey: Survey;
  readonly index: SessionIndex;
  readonly facts: Omit<PackFacts, 'caveats' | 'search'>;
  readonly report: ReportOptions;
}

export interface PackCaveats {
  /** For whoever makes the pack. */
  readonly operator: readonly Caveat[];
  /** For whoever gets it. */
  readonly recipient: readonly Caveat[];
}

/** Writes `index.html` and what it loads. @returns what qualifies the pack: the page has read what is in it */
export async function writePackPage(page: PackPage): Promise<PackCaveats> {
  const { bag, survey, index, report } = page;
  const whole = {
    files: bag.payload,
    survey,
    placeOf: artifactPathInPack,
    textOf: (session: number) => addressOf(index.transcriptOf(session)),
    placesOf: (session: number) => Promise.resolve(index.placesOf(session)),
    notes: notesOf(page),
    elsewhere: NAMED_IN_PACK,
  };
  const { caveats: operator } = await writePageOf(whole, report);
  return { operator, recipient: caveatsOf(survey.making.reading, { audience: 'recipient' }) };
}

function addressOf(path: string | undefined): string | undefined {
  return path?.split('/').map(encodeURIComponent).join('/');
}

function notesOf({ index, facts }: PackPage): PageNote[] {
  const { making, request, organization, signer, authorities } = facts;
  const isSearch = making.found !== undefined;
  const looksForWords = making.found?.facts.searched_in != null;
  const files = ['README.txt', 'summary.csv', 'index.csv', 'items.csv', 'gaps.csv', 'holds.csv'];
  const links = [
    ...files,
    ...(making.selection.decisions.isEmpty ? [] : ['withheld.csv']),
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
        ...(authorities.length === 0
          ? []
          : [
              `When it was whole, ${authorities.join(', ')} ${authorities.length === 1 ? 'was' : 'were'} asked for a time stamp; what was answered is in the directory above this page (timestamp-1.tsr), and README.txt says how it is checked and tells the time`,
            ]),
        ...(looksForWords
          ? [
              'Each question says where the words of the search were found in it; they are marked there, except where it says that they are not in what is shown' +
                (making.selection.decisions.isEmpty
                  ? ''
                  : '. Of a redacted question it is not told'),
            ]
          : []),
        'The same conversations are texts in the folder transcripts, and records as the service sent them in the folder records',
      ],
      links: links.map((href) => ({ href, text: href })),
    },
    checkNote(signer),
    ...holdNotes(index),
  ];
}

function holdNotes({ holdLines: lines }: SessionIndex): PageNote[] {
  return lines.length === 0 ? [] : [{ heading: 'Holds', lines }];
}
