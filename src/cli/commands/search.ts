/** Searches the questions and answers of an archive. */
import { isThere } from '../input/given-file.js';
import { visibleId } from '../../base/text/direction.js';
import { join, resolve } from 'node:path';
import { UsageError } from '../../base/error.js';
import { searchCommandSettings } from '../../config/hold-settings.js';
import { withArchive } from '../input/access.js';
import { forRequestOf } from '../input/recorded-person.js';
import type { SearchHit, SearchResult } from '../../search/search-archive.js';
import { hitCountText } from '../../search/search-facts.js';
import { isNothingSearched } from '../../search/searched-fields.js';
import { headlineOf } from '../../archive/reading/caveats/caveat-text.js';
import { matchedText } from '../../search/search-fields.js';
import { defineCommand } from '../command.js';
import { askedText } from '../../model/times/asked-times.js';
import { caveatExit } from '../output/caveat-rows.js';
import { warnUnverified } from '../output/warn-unverified.js';
import { onArchive, step } from '../../base/next-step.js';
import { reportBeside } from './report.js';
import { jobAddress } from '../../report/page/addresses.js';
import { minuteText } from '../../model/times/timestamp.js';
import type { View } from '../output/view.js';
import { visibleLine } from '../../base/text/visible.js';

export const searchCommand = defineCommand({
  usage: 'search [archive] [words]',
  describe: 'Search questions and answers for words, in any script; newest first',
  positionals: {
    words: 'Words in quotes, all required; "a phrase", -excluded, one OR other',
  },
  settings: searchCommandSettings,
  examples: {
    'jobvault search ./archive "budget 2026"': 'jobs with both words, newest first',
    'jobvault search ./archive \'"net revenue" berlin OR rome -draft\'':
      'a phrase, one of two words, and an excluded word',
    'jobvault search ./archive 売上 --user ada --from 2026-01 --to 2026-03':
      'any script; from January to the end of March',
    'jobvault search ./archive invoice --in code --json': 'only code; one line of JSON',
    'jobvault search ./archive --request "Matter 2026-114"':
      "a request's words, people and period; the log records the search",
  },
  onlyReads: ({ request }) => request === undefined,
  run: async (invocation) => {
    const { settings, positionals, logger } = invocation;
    const { archive: location = '', words: match } = positionals;
    const { forRequest, recorded } = forRequestOf(settings);
    if (match === undefined && !forRequest) {
      throw new UsageError('nothing is named to look for; give words, or --request');
    }
    return withArchive(invocation, async (archive) => {
      const sessions = await archive.resolveSessions(settings);
      const request = forRequest && (await archive.request(forRequest.name));
      const { from, to } = request ?? settings;
      const given = { ...settings, sessions, forRequest };
      const { commit, unverifiedBytes, ...found } = await archive.search(match, given);
      recorded(logger);
      warnUnverified(unverifiedBytes, logger);
      const page = await pageThere(location);
      return {
        exitCode: caveatExit(found.caveats),
        value: { ...found, commit, hits: found.hits.map(hitLine) },
        view: hitsView(found, {
          commit,
          page,
          wordless: match !== undefined && request?.match === null ? request.name : undefined,
          period: (from ?? to) != null,
        }),
      };
    });
  },
});

/** The page of the archive's report at its default place, absolute; undefined where nobody has made it. */
async function pageThere(place: string): Promise<string | undefined> {
  const page = join(resolve(reportBeside(place)), 'index.html');
  return (await isThere(page)) ? page : undefined;
}

/** In JSON a hit has the time of its id alone: its bounds are columns of the tables. */
function hitLine(hit: SearchHit): object {
  const { user_id, session_id, session_name, job_id, created_at, ...rest } = hit;
  const { matched_in, matched_tables, excerpt, is_withheld, is_redacted } = rest;
  const place = { user_id, session_id, session_name, job_id, created_at };
  return { ...place, matched_in, matched_tables, excerpt, is_withheld, is_redacted };
}

interface HitsContext {
  readonly commit: number;
  /** The page of the archive's report, for links to the hits. */
  readonly page: string | undefined;
  /** The request without words for which words were given; undefined of none. */
  readonly wordless: string | undefined;
  /** Whether the search has --from or --to. */
  readonly period: boolean;
}

/** What is missing is said before the hits, and what that means behind them. */
function hitsView(
  found: Omit<SearchResult, 'commit' | 'unverifiedBytes'>,
  { commit, page, wordless, period }: HitsContext,
): View {
  const { total, matches, hits, caveats } = found;
  const isEmpty = total === 0 && period && !isNothingSearched(found);
  const links = page === undefined ? NO_PAGE : OLD_PAGE;
  return {
    headline: headlineOf(caveats),
    lines: [
      `${hitCountText(found, commit)}${listedText(hits.length, matches)}`,
      ...(wordless === undefined
        ? []
        : [
            `Request ${visibleLine(wordless)} has no words: its record names these as the search's own.`,
          ]),
      ...(isEmpty ? ['No question of this period is known.'] : []),
    ],
    sections: [
      ...hits.map((hit) => hitView(hit, page)),
      { caveats, lines: hits.length === 0 ? [] : [links] },
    ],
  };
}

const NO_PAGE = step`${onArchive('report')} makes a page on which each hit has a link.`;
const OLD_PAGE = step`The links open in a browser; what is newer than the report is on its page after ${onArchive('report')}.`;

function listedText(listed: number, matches: number): string {
  if (listed === matches) return '';
  if (listed === 0) return ', none is listed';
  return listed === 1 ? ', the newest is listed' : `, the newest ${listed} are listed`;
}

function hitView(hit: SearchHit, page: HitsContext['page']): View {
  const { user_id: user, session_id: session, job_id: job, excerpt, matched_in: matchedIn } = hit;
  const when = askedText(hit, minuteText);
  const name = hit.session_name ?? '(no name)';
  const found = visibleLine(matchedText(matchedIn, hit.matched_tables));
  return {
    headline: `${when}  ${visibleId(user)}  ${visibleLine(name)}`,
    lines: [
      `  ${visibleLine(excerpt)}`,
      ...(matchedIn.length === 0 ? [] : [`  found in ${found}`]),
      `  session ${visibleId(session)}, job ${visibleId(job)}`,
      ...(hit.is_withheld ? ['  withheld: nothing made for the request has it'] : []),
      ...(hit.is_redacted
        ? ['  redacted: what is made for the request has it without its texts']
        : []),
      ...(page === undefined ? [] : [`  ${page}${jobAddress(user, session, job)}`]),
    ],
  };
}
