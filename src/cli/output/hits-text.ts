/** What a search has found, for people. */
import { jobAddress } from '../../report/page/routes.js';
import type { SearchCounts, SearchHit } from '../../search/search-archive.js';
import { counted } from './aligned.js';
import { visibleLine } from './visible.js';

export interface HitsContext {
  readonly commit: number;
  /** Where a report of the archive goes: its page opens at a hit. */
  readonly report: string;
  /** Whether only what was asked in a period counts. */
  readonly period: boolean;
}

export function hitsText(
  found: SearchCounts & { readonly hits: readonly SearchHit[] },
  { commit, report, period }: HitsContext,
): string {
  const { searched, matches, hits, time_unknown: unknown } = found;
  return [
    `${counted(matches, 'hit')} in ${counted(searched, 'job')} of commit ${commit}${listedText(hits.length, matches)}\n`,
    searched === 0 && unknown === 0 && period
      ? 'No job of the archive was asked in this period.\n'
      : '',
    unknown === 0
      ? ''
      : `${counted(unknown, 'job')} not searched: no time tells whether asked in this period; without --from and --to all are searched\n`,
    ...hits.map((hit) => hitText(hit, report)),
    hits.length === 0
      ? ''
      : '\nThe addresses open in a browser where jobvault report ARCHIVE has made the page.\n',
  ].join('');
}

/** Of jobs without a time, where a period is asked for. */
export function notJudged(jobs: number): string {
  return `${counted(jobs, 'job')}: nothing tells whether they were asked in this period`;
}

function listedText(listed: number, matches: number): string {
  if (listed === matches) return '';
  if (listed === 0) return ', none is listed';
  return listed === 1 ? ', the newest is listed' : `, the newest ${listed} are listed`;
}

function hitText(hit: SearchHit, report: string): string {
  const { user_id: user, session_id: session, job_id: job, created_at: at, excerpt } = hit;
  const when = at === null ? 'time unknown' : `${at.slice(0, 16).replace('T', ' ')} UTC`;
  const name = hit.session_name ?? '(no name)';
  return [
    `\n${when}  ${visibleLine(user)}  ${visibleLine(name)}\n`,
    `  ${visibleLine(excerpt)}\n`,
    `  session ${visibleLine(session)}\n`,
    `  ${report}/index.html${jobAddress(user, session, job)}\n`,
  ].join('');
}
