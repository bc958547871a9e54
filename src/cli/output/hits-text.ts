/** Formats the hits of a search for people. */
import { jobAddress } from '../../report/page/routes.js';
import type { SearchHit } from '../../search/search-archive.js';
import { undatedText, type SearchFacts } from '../../search/search-facts.js';
import { matchedText } from '../../search/search-fields.js';
import type { NamedDoubts } from '../../archive/reading/doubts.js';
import { counted } from './aligned.js';
import { askedText, doubtLine } from './archive-texts.js';
import { visibleLine } from './visible.js';

export interface HitsContext {
  readonly commit: number;
  readonly doubts: NamedDoubts;
  /** The directory of the archive's report, for links to the hits. */
  readonly report: string;
  /** Whether the search has --from or --to. */
  readonly period: boolean;
}

export function hitsText(
  found: SearchFacts & { readonly hits: readonly SearchHit[] },
  { commit, doubts, report, period }: HitsContext,
): string {
  const { searched, matches, hits, time_unknown: unknown, not_searched: notSearched } = found;
  const undated = undatedText(found);
  const { sessions_with_gaps, users_not_proven } = doubts;
  const inDoubt = doubtLine({ sessions_with_gaps, users_not_proven });
  return [
    `${counted(matches, 'hit')} in ${counted(searched, 'job')} of commit ${commit}${listedText(hits.length, matches)}\n`,
    searched === 0 && unknown === 0 && period ? 'No job of this period is known.\n' : '',
    undated === null ? '' : `${undated.slice(0, 1).toUpperCase()}${undated.slice(1)}.\n`,
    notSearched === null ? '' : `Not searched: ${notSearched}.\n`,
    inDoubt === null ? '' : `In doubt: ${inDoubt}.\n`,
    gapSessionsText(doubts),
    ...hits.map((hit) => hitText(hit, report)),
    hits.length === 0 ? '' : '\nThe links open in a browser after jobvault report ARCHIVE.\n',
  ].join('');
}

function listedText(listed: number, matches: number): string {
  if (listed === matches) return '';
  if (listed === 0) return ', none is listed';
  return listed === 1 ? ', the newest is listed' : `, the newest ${listed} are listed`;
}

function hitText(hit: SearchHit, report: string): string {
  const { user_id: user, session_id: session, job_id: job, excerpt, matched_in: matchedIn } = hit;
  const [at, after, before] = [hit.created_at, hit.created_after, hit.created_before].map((time) =>
    time?.slice(0, 16).replace('T', ' ').concat(' UTC'),
  );
  const when = askedText(at, after, before);
  const name = hit.session_name ?? '(no name)';
  return [
    `\n${when}  ${visibleLine(user)}  ${visibleLine(name)}\n`,
    `  ${visibleLine(excerpt)}\n`,
    matchedIn.length === 0 ? '' : `  found in ${matchedText(matchedIn)}\n`,
    `  session ${visibleLine(session)}\n`,
    `  ${report}/index.html${jobAddress(user, session, job)}\n`,
  ].join('');
}

function gapSessionsText({ sessions_with_gaps: count, gap_sessions: named }: NamedDoubts): string {
  if (count === 0) return '';
  const more = count > named.length ? `, and ${count - named.length} more` : '';
  return `With gaps: ${named.map(visibleLine).join(', ')}${more}; jobvault gap accept ends the exit code 3.\n`;
}
