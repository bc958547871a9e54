/**
 * A session as a text for people: what was asked, what was answered, which files belong to it. Whatever comes
 * from the service is indented or on a line with our words before it, so that no answer looks like another job.
 */
import { matchedText, type SearchField } from '../search/search-fields.js';
import { STEERING } from '../base/text/steering.js';
import type { ArtifactFact, JobFact } from './facts.js';
import type { SessionPlan } from './plan.js';

const RULE = '-'.repeat(72);

export function transcriptHead(plan: SessionPlan, name: string | null): string {
  const { user, session, state, jobs, archivedJobs } = plan;
  const ofAll = jobs.size < archivedJobs ? ` of ${archivedJobs}; the others do not match` : '';
  const completeness = state.complete
    ? 'its history was read to the end'
    : 'its history was NOT read to the end';
  return shown(
    [
      `${name === null ? '(no name)' : onOneLine(name)}\n`,
      `session ${session} of user ${user}\n`,
      `${jobs.size} ${jobs.size === 1 ? 'job' : 'jobs'}${ofAll}; ${completeness}\n`,
    ].join(''),
  );
}

export interface TranscribedJob {
  readonly job: string;
  readonly isSettled: boolean;
  readonly versions: number;
  /** Of the newest version. */
  readonly fact: JobFact;
  readonly recordPath: string;
  /** Where the words of a search stand; empty without one. */
  readonly matchedIn: readonly SearchField[];
  readonly files: readonly { readonly fact: ArtifactFact; readonly packPath: string | null }[];
}

export function transcriptJob(transcribed: TranscribedJob): string {
  const { job, isSettled, versions, fact, recordPath, matchedIn, files } = transcribed;
  const lines = [
    `\n${RULE}\n`,
    `job ${job}${fact.createdAt === null ? '' : `, made ${fact.createdAt} (as its id tells)`}\n`,
    ...(versions > 1 ? [`version ${versions}; the earlier ones are in records/\n`] : []),
    ...(isSettled ? [] : ['the answer may still have been changing when it was archived\n']),
    `record: data/${recordPath}\n`,
    ...(matchedIn.length === 0 ? [] : [`found in: ${matchedText(matchedIn)}\n`]),
    `\nQUESTION\n${fact.question === null ? '(no text)' : indented(fact.question)}\n`,
    `\nANSWER\n${fact.answer === null ? '(no text)' : indented(fact.answer)}\n`,
    ...(files.length > 0 ? ['\nFILES\n', ...files.map(fileLine)] : []),
  ];
  return shown(lines.join(''));
}

function fileLine({ fact, packPath }: TranscribedJob['files'][number]): string {
  const where =
    packPath === null
      ? `NOT ARCHIVED, ${fact.status ?? 'no status'}: ${fact.reason ?? ''}`
      : `data/${packPath}`;
  const name = onOneLine(fact.name ?? '(no name)');
  return `${fact.type ?? 'FILE'} "${name}": ${where}\n`;
}

function onOneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ');
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '    ');
}

const IN_TEXT = new RegExp(`(?![\\n\\t])[${STEERING}]`, 'gu');

/** Control and bidirectional characters become U+FFFD; the record keeps them. */
function shown(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(IN_TEXT, '\uFFFD');
}
