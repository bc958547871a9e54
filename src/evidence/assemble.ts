/** Writes what a batch holds into the pack: user by user, session by session. Memory holds what was set aside of some sessions. */
import { escapedCharacter, visibleId } from '../base/text/direction.js';
import { present } from '../base/error.js';
import { shapeOf } from '../model/block-types.js';
import type { Archive } from '../archive/archive.js';
import { concurrently } from '../base/concurrently.js';
import type { ArtifactEntry } from '../archive/log/commit.js';
import { IntegrityError } from '../archive/archive-errors.js';
import type { Bag } from './bag.js';
import { LOST_STATUS } from '../archive/reading/lost-files.js';
import { readChecked } from '../archive/checked-objects.js';
import {
  type ArtifactFact,
  type CodeFact,
  type EntryFact,
  type SessionFact,
  type JobFact,
  type Packed,
  artifactPathInPack,
  transcriptPath,
} from './facts.js';
import { boundsText, timesIn, formatTimestamp, minuteText } from '../model/created-at.js';
import { doubtfulText, ItemRows } from './item-rows.js';
import type { CsvFiles } from './csv-files.js';
import { type GapSession, UserTotals, writeUserRows } from './user-rows.js';
import type { Batch, SessionPlan, UserPlan, EvidenceSurvey } from './plan.js';
import type { SessionIndex } from './session-index.js';
import type { JobFacts, SessionFacts, SetAside } from './set-aside.js';
import { UNKNOWN_DATE } from '../archive/reading/caveat.js';
import { type SearchField, matchedText } from '../search/search-fields.js';
import { STEERING } from '../base/text/short-texts.js';

export interface AssembleOptions {
  readonly archive: Archive;
  readonly survey: EvidenceSurvey;
  readonly batch: Batch;
  readonly bag: Bag;
  readonly csv: CsvFiles;
  readonly aside: SetAside;
  readonly packed: Packed;
  readonly index: SessionIndex;
  readonly signal: AbortSignal | undefined;
}

/** Artifacts copied at a time. */
const COPIES = 16;
const NO_TEXTS = { question: null, answer: null };

/** @throws {IntegrityError} rows that the log names are missing or doubled, or an artifact is damaged */
export async function assembleBatch(options: AssembleOptions): Promise<void> {
  const sessions = options.aside.sessions();
  for (const user of options.batch.users.values()) {
    const pack = new UserPack(options, user);
    for (const session of user.sessions.values()) {
      const { value: facts } = await sessions.next();
      await pack.writeSession(session, present(facts, `what is set aside of ${session.session}`));
    }
    await pack.finish();
  }
}

class UserPack {
  readonly #items: ItemRows;
  readonly #totals = new UserTotals();
  readonly #artifacts = new Map<string, ArtifactEntry>();
  /** Those with gaps. */
  readonly #gapSessions = new Map<SessionPlan, GapSession>();
  readonly #options: AssembleOptions;
  readonly #plan: UserPlan;

  constructor(options: AssembleOptions, plan: UserPlan) {
    this.#options = options;
    this.#plan = plan;

    this.#items = new ItemRows(options.csv, options.archive.identity.service);
  }

  async writeSession(session: SessionPlan, own: SessionFacts): Promise<void> {
    const { bag, packed, index, signal } = this.#options;
    const facts = own.versions;
    const title = facts.at(-1)?.name ?? null;
    const at = beginOf(session, facts);
    const path = transcriptPath(session.number, at, title);
    index.add({ session, at, title, path });
    const transcript = await bag.openText(path);
    await transcript.write(transcriptHead(session, title));
    const jobs: (readonly JobFacts[])[] = [];
    for (const versions of own.jobs()) {
      signal?.throwIfAborted();
      await transcript.write(this.#transcribed(versions));
      // the rows of items need the transcript's digest first, and no texts
      jobs.push(versions.map((one) => ({ ...one, fact: { ...one.fact, ...NO_TEXTS } })));
    }
    if (session.gaps.length > 0) this.#gapSessions.set(session, gapSession(title, jobs));
    await this.#items.session(session, facts, { path, ...(await transcript.finish()) });
    for (const { exportedAt } of facts) this.#totals.exported(exportedAt);
    for (const version of jobs.flat()) await this.#writeItems(version);
    packed.sessions++;
    packed.sessionIds.add(session.session);
    packed.jobs += session.jobs.size;
  }

  /** After its sessions. */
  async finish(): Promise<void> {
    const { archive, csv, survey, packed, index } = this.#options;
    const { acceptedGaps } = archive.index;
    await this.#copyArtifacts();
    const facts = { totals: this.#totals, gapSessions: this.#gapSessions, acceptedGaps };
    await writeUserRows(csv, survey, this.#plan, facts, packed);
    await index.finishUser(this.#plan.view.user);
    packed.users++;
    packed.records += this.#totals.records;
  }

  #transcribed(versions: readonly JobFacts[]): string {
    const newest = present(versions.at(-1), 'the newest version of a job');
    const { job, fact, record, artifacts, code, entries } = newest;
    const matchedIn = this.#matchedIn(newest);
    return transcriptJob({
      job: job.job,
      place: job.place,
      isUndated: this.#isUndated(newest),
      code,
      entries,
      isSettled: job.state.settled,
      versions: versions.length,
      fact,
      recordPath: record.packPath,
      matchedIn,
      files: artifacts.map((file) => ({ fact: file, packPath: this.#packPathOf(file) })),
    });
  }

  async #writeItems(version: JobFacts): Promise<void> {
    const isUndated = this.#isUndated(version);
    await this.#items.job(version, { matchedIn: this.#matchedIn(version), isUndated });
    this.#totals.records++;
    this.#totals.bytes += version.record.bytes;
    this.#totals.exported(version.fact.exportedAt);
    for (const artifact of version.artifacts) {
      const packPath = this.#packPathOf(artifact);
      this.#totals.filePlaces++;
      if (packPath !== null) this.#totals.placesStored++;
      await this.#items.artifact(version, artifact, packPath);
    }
  }

  #matchedIn({ session, job }: JobFacts): readonly SearchField[] {
    const { found } = this.#options.survey;
    return found?.matchedIn(session.user, session.session, job.job) ?? [];
  }

  #isUndated({ session, job }: JobFacts): boolean {
    return this.#options.survey.found?.isUndated(session.user, session.session, job.job) === true;
  }

  /** Null where the file is not stored. A file with a path is copied into the pack. */
  #packPathOf({ file, path }: ArtifactFact): string | null {
    if (file === null) return null;
    const entry = this.#options.archive.index.contents.artifacts.get(file.path);
    if (entry?.sha256 !== file.sha256) {
      throw new IntegrityError(path, 'rows', 'points to an artifact that the log does not name');
    }
    this.#artifacts.set(entry.path, entry);
    return artifactPathInPack(entry);
  }

  async #copyArtifacts(): Promise<void> {
    const { archive, bag, packed, signal } = this.#options;
    for (const { bytes } of this.#artifacts.values()) this.#totals.bytes += bytes;
    const missing = [...this.#artifacts.values()].filter(({ path }) => !packed.artifacts.has(path));
    await concurrently(each(missing), COPIES, async (entry) => {
      signal?.throwIfAborted();
      packed.artifacts.add(entry.path);
      await bag.addStream(artifactPathInPack(entry), readChecked(archive.storage, entry));
    });
  }
}

function gapSession(title: string | null, jobs: readonly (readonly JobFacts[])[]): GapSession {
  const times = jobs.flatMap((versions) => {
    const newest = versions.at(-1);
    return newest ? [[newest.job.job, newest.fact] as const] : [];
  });
  return { name: title, times: new Map(times) };
}

/** When its first job in the pack was asked, or when the session was created; null where no id has a time. ISO 8601. */
function beginOf({ jobs }: SessionPlan, facts: readonly SessionFact[]): string | null {
  const { times } = timesIn(Array.from(jobs.values(), ({ job }) => job));
  const first = times.find((time) => time !== null);
  if (first) return formatTimestamp(first.micros);
  return facts.at(-1)?.createdAt ?? null;
}

// eslint-disable-next-line @typescript-eslint/require-await -- what works through it takes its time
async function* each<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

/**
 * A session as a text for people: what was asked, what was answered, which files belong to it. Whatever comes
 * from the service is indented or on a line with our words before it, so that no answer looks like another job.
 */

const RULE = '-'.repeat(72);

function transcriptHead(plan: SessionPlan, name: string | null): string {
  const { user, session, state, jobs, archivedJobs } = plan;
  const ofAll =
    jobs.size < archivedJobs
      ? ` of the ${archivedJobs} of this session; the others do not match`
      : '';
  const completeness = state.complete
    ? 'its history was read to the end'
    : 'its history was NOT read to the end';
  return shown(
    [
      `${name === null ? '(no name)' : onOneLine(name)}\n`,
      `session ${visibleId(session)} of user ${visibleId(user)}\n`,
      `${jobs.size} ${jobs.size === 1 ? 'job' : 'jobs'}${ofAll}; ${completeness}\n`,
    ].join(''),
  );
}

export interface TranscribedJob {
  readonly job: string;
  /** Its place among all jobs of the session, from 1. */
  readonly place: number;
  /** Whether nothing tells if it was asked within the period of the search. */
  readonly isUndated: boolean;
  readonly isSettled: boolean;
  readonly versions: number;
  /** Of the newest version. */
  readonly fact: JobFact;
  readonly recordPath: string;
  /** Where the words of a search stand; empty without one. */
  readonly matchedIn: readonly SearchField[];
  /** Of a job that was found by its code, or by its answer: its steps. */
  readonly code: readonly Pick<CodeFact, 'kind' | 'name' | 'text'>[];
  /** Its sources and proposed questions. */
  readonly entries: readonly Pick<EntryFact, 'kind' | 'text' | 'passage'>[];
  readonly files: readonly { readonly fact: ArtifactFact; readonly packPath: string | null }[];
}

export function transcriptJob(transcribed: TranscribedJob): string {
  const { job, place, isSettled, isUndated, versions, fact, recordPath } = transcribed;
  const { matchedIn, code, entries, files } = transcribed;
  const lines = [
    `\n${RULE}\n`,
    `job ${place} of the session, ${visibleId(job)}\n`,
    ...askedLines(fact),
    ...(isUndated ? [`${UNKNOWN_DATE}\n`] : []),
    ...(versions > 1 ? [`version ${versions}; the earlier ones are in records/\n`] : []),
    ...(isSettled ? [] : ['the answer may still have been changing when it was archived\n']),
    `record: data/${recordPath}\n`,
    ...(matchedIn.length === 0 ? [] : [`found in: ${matchedText(matchedIn)}\n`]),
    ...(matchedIn.includes('table') ? tableLines(files) : []),
    `\nQUESTION\n${fact.question === null ? '(no text)' : indented(fact.question)}\n`,
    ...code.map(codeText),
    `\nANSWER\n${fact.answer === null ? '(no text)' : indented(fact.answer)}\n`,
    ...entriesText(entries, 'source'),
    ...entriesText(entries, 'question'),
    ...(files.length > 0 ? ['\nFILES\n', ...new Set(files.map(fileLine))] : []),
  ];
  return shown(lines.join(''));
}

/** When it was asked, and how that is known; nothing where nothing tells. */
function askedLines({ createdAt, createdAfter, createdBefore }: JobFact): string[] {
  if (createdAt !== null) return [`asked ${minuteText(createdAt)}, as its id tells\n`];
  const bounds = boundsText(createdAfter, createdBefore);
  return bounds === null ? [] : [`asked ${bounds}, ${AS_NEIGHBOURS_TELL}\n`];
}

const AS_NEIGHBOURS_TELL = 'as the jobs before and after it in the session tell';

function codeText({ kind, name, text }: Pick<CodeFact, 'kind' | 'name' | 'text'>): string {
  const heading = kind === 'code' ? 'CODE' : 'STEP';
  return `\n${heading}${name === null ? '' : ` (${onOneLine(name)})`}\n${indented(text)}\n`;
}

/** Which files may have the words that were found in a table: a transcript does not show what is in them. Each once: an answer repeats the table of a step. */
function tableLines(files: TranscribedJob['files']): string[] {
  const tables = files.filter(({ fact }) => shapeOf(fact.type) === 'table' && mayHaveWords(fact));
  const lines = tables.map((table) => {
    const isLost = table.fact.status === LOST_STATUS;
    return `${isLost ? 'table that may have had them' : 'table to look in'}: ${fileLine(table)}`;
  });
  return [...new Set(lines)];
}

/** Also of one that is lost: its words are in the archive's rows. Of one that is not stored or has no byte there are none. */
function mayHaveWords({ file, status }: ArtifactFact): boolean {
  return status === LOST_STATUS || (file !== null && file.bytes > 0);
}

const ENTRIES_HEADINGS = { source: '\nSOURCES\n', question: '\nSUGGESTED FOLLOW-UP QUESTIONS\n' };

function entriesText(all: TranscribedJob['entries'], kind: EntryFact['kind']): string[] {
  const entries = all.filter((entry) => entry.kind === kind);
  if (entries.length === 0) return [];
  const lines = entries.map(({ text, passage }) => {
    const cited = passage === null || passage === '' ? '' : `: “${onOneLine(passage)}”`;
    return `    - ${onOneLine(text)}${cited}\n`;
  });
  return [ENTRIES_HEADINGS[kind], ...lines];
}

function fileLine({ fact, packPath }: TranscribedJob['files'][number]): string {
  const where =
    packPath === null
      ? `${fact.status === LOST_STATUS ? 'NOT IN THE PACK' : 'NOT ARCHIVED'}, ${fact.status ?? 'no status'}: ${fact.reason ?? ''}`
      : `data/${packPath}${fact.doubt === null ? '' : ` (${doubtfulText(fact) ?? ''})`}`;
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

/** Control and bidirectional characters become their escapes; the record keeps them. */
function shown(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(IN_TEXT, escapedCharacter);
}
