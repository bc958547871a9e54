/** The first page of a report, and the list of what is missing that it links to. */
import type { Tallies } from './tallies.js';
import { Tally } from './tally.js';
import { completenessOf, headlineOf } from '../../archive/reading/caveats/caveat-text.js';
import { caveatsOf } from '../../archive/reading/caveats/caveat.js';
import type { Completeness } from '../../archive/reading/caveats/completeness.js';
import { restOfRequest } from '../../archive/reading/requests/rest-of-request.js';
import { knowsDayOfExport, knowsDaysAlone } from '../../archive/reading/known-days.js';
import { missingIn } from '../gap-list.js';
import { NAMED_IN_REPORT } from '../named-in-report.js';
import type { Publisher } from '../publisher.js';
import type { OpenReport, ReportOptions } from '../report-options.js';
import type { WrittenSessions } from '../report-sessions.js';
import type { Survey } from '../../making/survey.js';
import { aboutLines, partText } from './about-lines.js';
import { caveatCards } from './caveat-cards.js';
import { indexHtml, notesHtml, requestsHtml, type OpenRequest } from './index-html.js';
import { picturesHtml, tilesHtml } from './index-tiles.js';
import { heldNotes, requestNotes } from './page-notes.js';

interface FirstPage extends WrittenSessions {
  readonly title: string;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
}

/** @returns how whole it says that the report is */
export async function writeFirstPage(
  making: OpenReport,
  publisher: Publisher,
  page: FirstPage,
): Promise<Completeness> {
  const { options, survey, whole } = making;
  const { archive } = options;
  const { pseudonymised: copy } = archive.identity;
  // it may go to others, with whom nobody has the archive
  const caveats = caveatsOf(survey.making.reading, { audience: 'recipient' });
  const completeness = completenessOf(caveats);
  const listed = missingIn(survey, page.tallies);
  const isProven = completeness === 'complete';
  await publisher.data('gaps', { total: listed, isProven, gaps: page.gaps });
  const part = partText(options, survey);
  const headline = headlineOf(caveats);
  const lines = aboutLines(archive, survey, page.madeAt, options.by);
  const elsewhere = whole?.elsewhere ?? NAMED_IN_REPORT;
  const index = indexHtml({
    title: page.title,
    about: {
      ...lines,
      once: [...lines.once, ...(part === undefined ? [] : [part]), headline],
    },
    part,
    tiles: tilesHtml(page.tallies, {
      people: survey.peopleCount,
      files: page.files.count,
      missing: caveats.filter(({ severity }) => severity !== 'note').length,
      isListed: listed > 0,
      completeness,
      maybeErased: caveats.some(({ kind }) => kind === 'erasures'),
      isCopy: copy !== undefined,
    }),
    found: survey.making.found && { match: options.match, in: options.in },
    texts: copy?.texts,
    days: { asked: knowsDaysAlone(copy), exported: knowsDayOfExport(copy) },
    headline,
    completeness,
    caveats: caveatCards(caveats, ['missing', 'doubt'], elsewhere),
    further: caveatCards(caveats, ['note'], elsewhere),
    ...(await cardsOf(making, page)),
  });
  await publisher.put('index.html', index);
  return completeness;
}

/** Spellings of a user that list the same session are one person, under the spelling that `v_usage_by_user` names. */
function peopleOf({ people }: Survey, { users }: Tallies): Tally {
  const tally = new Tally();
  for (const [user, jobs] of users.entries()) tally.add(people.get(user) ?? user, jobs);
  return tally;
}

/** What stands above the numbers and below the lists. */
async function cardsOf({ options, survey, whole }: OpenReport, { tallies }: FirstPage) {
  if (whole) {
    return { notes: notesHtml(whole.notes), requests: '', pictures: '', isForPaper: true };
  }
  const { request } = options;
  const notes = request ? [...requestNotes(request), ...heldNotes(survey)] : [];
  return {
    notes: notesHtml(notes),
    requests: request ? '' : requestsHtml(await openRequests(options)),
    pictures: picturesHtml(tallies, peopleOf(survey, tallies)),
    isForPaper: false,
  };
}

/** The open requests; of a report that leaves users out, only those that name none of them. */
async function openRequests({
  archive,
  users = [],
  sessions = [],
}: ReportOptions): Promise<OpenRequest[]> {
  const isWhole = users.length + sessions.length === 0;
  const open = archive.index.requests.filter(
    ({ closed, users: asked }) =>
      closed === null &&
      (isWhole || (asked.length > 0 && asked.every((user) => users.includes(user)))),
  );
  return Promise.all(
    open.map(async (request) => ({ request, left: await restOfRequest(archive, request) })),
  );
}
