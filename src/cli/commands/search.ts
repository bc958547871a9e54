/** Searches the questions and answers of an archive. */
import { visibleId } from '../../base/text/direction.js';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { UsageError } from '../../base/error.js';
import { searchCommandSettings } from '../../config/hold-settings.js';
import { forRequestOf, withArchive } from '../input/access.js';
import type { SearchHit, SearchResult } from '../../search/search-archive.js';
import {
  excludedOf,
  isNothingSearched,
  leftOutJobText,
  leftOutOf,
  undatedAdvice,
  type SearchFacts,
} from '../../search/search-choice.js';
import { matchedText } from '../../search/search-fields.js';
import { unreadTableText } from '../../search/unread-tables.js';
import { defineCommand } from '../command.js';
import { gapsExit, askedText, doubtLine, notInIt } from '../output/archive-texts.js';
import { warnUnverified } from '../output/warn-of-gaps.js';
import { pasteable } from '../pasteable.js';
import type { SettingSources } from '../../config/resolve-settings.js';
import { reportBeside } from './report.js';
import { jobAddress } from '../../report/page/data.js';
import { sessionsWithOpenGaps, type NamedDoubts } from '../../archive/reading/doubts.js';
import { counted } from '../../base/text/counted.js';
import { minute, visibleLine } from '../output/aligned.js';

export const searchCommand = defineCommand({
  positionals: {
    archive: 'The archive: a directory or s3://bucket/prefix; default: out of the configuration',
    words: 'Words in quotes, all required; "a phrase", -excluded, one OR other',
  },
  archiveOfSettings: 'always',
  settings: searchCommandSettings,
  examples: [
    ['jobvault search ./archive "budget 2026"', 'jobs with both words, newest first'],
    [
      `jobvault search ./archive '"net revenue" berlin OR rome -draft'`,
      'a phrase, one of two words, and an excluded word',
    ],
    [
      'jobvault search ./archive 売上 --user ada --from 2026-01 --to 2026-03',
      'any script; from January to the end of March',
    ],
    ['jobvault search ./archive invoice --in code --json', 'only code; one line of JSON'],
    [
      'jobvault search ./archive --request "Matter 2026-114"',
      "a request's words, people and period; the log keeps that this was searched",
    ],
  ],
  onlyReads: ({ request }) => request === undefined,
  run: async (invocation) => {
    const { settings, positionals, logger } = invocation;
    const { archive: place = '', words: match } = positionals;
    const { forRequest, recorded } = forRequestOf(settings);
    if (match === undefined && !forRequest) {
      throw new UsageError('nothing is named to look for; give words, or --request');
    }
    return withArchive(invocation, async (archive) => {
      const sessions = await archive.resolveSessions(settings);
      const request = forRequest && (await archive.request(forRequest.name));
      const { users, from, to } = request ?? settings;
      // side by side: the log is read while the database looks through the texts
      const [{ commit, unverifiedBytes, ...found }, doubts, others] = await Promise.all([
        archive.search(match, { ...settings, sessions, forRequest }),
        archive.doubts({ users, sessions, from: from ?? undefined, to: to ?? undefined }),
        archive.otherSpellings(users ?? []),
      ]);
      recorded(logger);
      warnUnverified(unverifiedBytes, logger);
      const page = await pageThere(place);
      return {
        exitCode: gapsExit({ search: { ...found, ...doubts } }),
        value: { ...found, doubts, other_spellings: others, hits: found.hits.map(hitLine) },
        text: () =>
          hitsText(found, {
            commit,
            doubts,
            notInIt: notInIt(others, request?.name ?? null),
            page,
            wordless: match !== undefined && request?.match === null ? request.name : undefined,
            period: (from ?? to) != null,
            isCopy: archive.identity.pseudonymised !== undefined,
            sources: invocation.sources,
          }),
      };
    });
  },
});

/** The page of the archive's report at its default place, absolute; undefined where nobody has made it. */
async function pageThere(place: string): Promise<string | undefined> {
  const page = join(resolve(reportBeside(place)), 'index.html');
  return access(page).then(
    () => page,
    () => undefined,
  );
}

/** In JSON a hit has the time of its id alone: its bounds are columns of the tables. */
function hitLine(hit: SearchHit): object {
  const { user_id, session_id, session_name, job_id, created_at, ...rest } = hit;
  const { matched_in, matched_tables, excerpt } = rest;
  const of = { user_id, session_id, session_name, job_id, created_at };
  return { ...of, matched_in, matched_tables, excerpt };
}

/** Formats the hits of a search for people. */

export interface HitsContext {
  readonly commit: number;
  readonly doubts: NamedDoubts;
  /** Whom it did not search although somebody may have meant them; null of nobody. */
  readonly notInIt: string | null;
  /** Of the archive's report, for links to the hits. */
  readonly page: string | undefined;
  /** The request without words for which words were given; undefined of none. */
  readonly wordless: string | undefined;
  /** Whether the search has --from or --to. */
  readonly period: boolean;
  /** Whether it is of a pseudonymised copy, to which no command writes. */
  readonly isCopy: boolean;
  /** Where the archive is, for commands that are proposed. */
  readonly sources: SettingSources;
}

function hitsText(
  found: SearchFacts & Pick<SearchResult, 'hits' | 'left_out' | 'unread_tables'>,
  { commit, doubts, page, wordless, period, isCopy, sources, ...context }: HitsContext,
): string {
  const { searched, matches, hits, time_unknown: unknown, not_searched: notSearched } = found;
  const undated = undatedAdvice(found);
  const isNothing = isNothingSearched(found);
  return [
    isNothing
      ? `0 hits: nothing was searched (commit ${commit})\n`
      : `${counted(matches, 'hit')} in ${counted(searched, 'job')} of commit ${commit}${listedText(hits.length, matches)}\n`,
    wordless === undefined
      ? ''
      : `Request ${visibleLine(wordless)} has no words: its record names these as the search's own.\n`,
    searched === 0 && unknown === 0 && period && !isNothing
      ? 'No job of this period is known.\n'
      : '',
    undated === null ? '' : `${undated.slice(0, 1).toUpperCase()}${undated.slice(1)}.\n`,
    leftOutText(found),
    ...hits.map((hit) => hitText(hit, page)),
    hits.length === 0 ? '' : '\n',
    context.notInIt === null ? '' : `Not in it: ${context.notInIt}\n`,
    notSearched === null ? '' : `Not searched: ${notSearched}.\n`,
    isNothing
      ? 'Search the archive that it was made of.\n'
      : pasteable(limitsText(found, doubts, isCopy), sources),
    hits.length === 0 ? '' : pasteable(page === undefined ? NO_PAGE : OLD_PAGE, sources),
  ].join('');
}

function leftOutText(found: SearchFacts & Pick<SearchResult, 'left_out'>): string {
  const { left_out: named } = found;
  const lines = named.map((hit) => {
    const { user_id: user, session_id: session, session_name: sessionName, job_id: job } = hit;
    const bounds = { createdAfter: hit.created_after, createdBefore: hit.created_before };
    return `  ${visibleLine(`${user}, ${leftOutJobText({ user, session, sessionName, job, ...bounds })}`)}\n`;
  });
  const more = leftOutOf(found) + excludedOf(found) - named.length;
  const rest = more > 0 ? `  and ${more} more; report, evidence and workbook name them\n` : '';
  return lines.join('') + rest;
}

/** So few are named for people beside their number. */
const NAMED = 3;

/** What the answer says nothing of, below the hits: a line each, and names only where they are few. */
function limitsText(
  found: SearchFacts & Pick<SearchResult, 'unread_tables'>,
  doubts: NamedDoubts,
  isCopy: boolean,
): string {
  const { sessions_with_gaps: sessions, users_not_proven: users } = doubts;
  const { gap_sessions: gapSessions, unproven_users: unproven } = doubts;
  const tables = found.tables_not_searched + found.tables_in_part;
  const areFew = tables <= NAMED;
  const accept =
    isCopy || sessionsWithOpenGaps(doubts) === 0
      ? ''
      : ' jobvault gap accept ARCHIVE ends the exit code 3.';
  const hasMore = !areFew || sessions > NAMED || users > NAMED;
  return [
    ...(areFew ? found.unread_tables : []).map(
      (table) => `  ${visibleLine(unreadTableText(table))}\n`,
    ),
    sessions === 0
      ? ''
      : `In doubt: ${doubtLine({ ...doubts, gap_sessions: few(gapSessions, sessions), users_not_proven: 0 }) ?? ''}.${accept}\n`,
    users === 0
      ? ''
      : `In doubt: ${doubtLine({ ...doubts, sessions_with_gaps: 0, unproven_users: few(unproven, users) }) ?? ''}.\n`,
    hasMore ? '--json names the first of these tables, sessions and users.\n' : '',
  ].join('');
}

function few(names: readonly string[], count: number): readonly string[] {
  return count > NAMED ? [] : names;
}

const NO_PAGE = 'jobvault report ARCHIVE makes a page on which each hit has a link.\n';
const OLD_PAGE =
  'The links open in a browser; what is newer than the report is on its page after jobvault report ARCHIVE.\n';

function listedText(listed: number, matches: number): string {
  if (listed === matches) return '';
  if (listed === 0) return ', none is listed';
  return listed === 1 ? ', the newest is listed' : `, the newest ${listed} are listed`;
}

function hitText(hit: SearchHit, page: string | undefined): string {
  const { user_id: user, session_id: session, job_id: job, excerpt, matched_in: matchedIn } = hit;
  const [at, after, before] = [hit.created_at, hit.created_after, hit.created_before].map((time) =>
    time == null ? undefined : minute(time),
  );
  const when = askedText(at, after, before);
  const name = hit.session_name ?? '(no name)';
  return [
    `\n${when}  ${visibleId(user)}  ${visibleLine(name)}\n`,
    `  ${visibleLine(excerpt)}\n`,
    matchedIn.length === 0
      ? ''
      : `  found in ${visibleLine(matchedText(matchedIn, hit.matched_tables))}\n`,
    `  session ${visibleId(session)}, job ${visibleId(job)}\n`,
    page === undefined ? '' : `  ${page}${jobAddress(user, session, job)}\n`,
  ].join('');
}
