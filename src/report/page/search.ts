/** Searches the index for words. It loads only the pieces of the index that can contain them. */
import { hasNoWords, type SearchTerm, type SearchWords } from '../../search/parse-words.js';
import { lookedUp, indexPartitionOf } from '../first-page/index-words.js';
import {
  JOBS_PER_DIRECTORY,
  type FoundJob,
  type IndexPiece,
  type JobDirectory,
  type PeopleData,
  type SearchPlan,
  type BlockView,
  type PieceData,
} from '../page-data.js';
import { wordsOfTable } from '../words-of-table.js';
import { foldText } from '../../base/text/fold-text.js';
import { wordsOfMarkdown } from '../../model/markdown/read-markdown.js';
import { classifyWhen, newerFirst } from '../../model/times/when.js';
import { load } from './data.js';
import { type Filter } from './addresses.js';
import { placesOf } from './job-times.js';

export interface Candidates {
  /** Numbers of the jobs that may have what is looked for, the newest first. */
  readonly jobs: readonly number[];
  /** How many more there are of which nobody can tell whether they lie in the period. */
  readonly unknown: number;
  /** Whether all of them have it: else each has to be read. */
  readonly isExact: boolean;
  /** What no job of the report has, as it was folded. */
  readonly missing: readonly string[];
}

export async function candidatesOf(words: SearchWords, filter: Filter): Promise<Candidates> {
  if (hasNoWords(words)) return { jobs: [], unknown: 0, isExact: true, missing: [] };
  const plan = await load<SearchPlan>('find');
  const wanted = await Promise.all(words.wanted.map((terms) => someOf(plan, terms)));
  const unwanted = await Promise.all(words.unwanted.map((term) => someOf(plan, [term])));
  const out = unwanted.filter(({ isExact }) => isExact);
  const [first, ...others] = wanted.map(({ jobs }) => jobs).sort((a, b) => a.size - b.size);
  const numbers = [...(first ?? Array.from({ length: plan.jobs }, (_one, number) => number))];
  const jobs = numbers.filter(
    (job) =>
      others.every((jobSet) => jobSet.has(job)) && !out.some((excluded) => excluded.jobs.has(job)),
  );
  const missing = words.wanted.filter((_terms, index) => wanted[index]?.jobs.size === 0);
  return {
    ...(await withinFilter(jobs, filter)),
    isExact: [...wanted, ...unwanted].every(({ isExact }) => isExact),
    missing: missing.map((terms) => terms.map(({ text }) => text).join(' OR ')),
  };
}

export async function foundJob(number: number): Promise<FoundJob | undefined> {
  const piece = await load<JobDirectory>(`j/${Math.floor(number / JOBS_PER_DIRECTORY)}`);
  return piece.jobs[number % JOBS_PER_DIRECTORY] ?? undefined;
}

async function withinFilter(
  jobs: readonly number[],
  { user, from, to }: Filter,
): Promise<Pick<Candidates, 'jobs' | 'unknown'>> {
  const { users } = await load<PeopleData>('people');
  const whose = user === null ? null : (users.find(({ id }) => id === user)?.number ?? 0);
  const places = await placesOf(jobs);
  const all = jobs
    .flatMap((job, index) => {
      const place = places[index];
      // user 0: the job has left
      if (!place || place.user === 0 || (whose !== null && place.user !== whose)) return [];
      return [{ job, asked: place.asked, is: classifyWhen(place.asked, { from, to }) }];
    })
    // later jobs of a session have higher numbers
    .sort((a, b) => newerFirst(a.asked, b.asked) || b.job - a.job);
  return {
    jobs: all.filter(({ is }) => is === 'within').map(({ job }) => job),
    unknown: all.filter(({ is }) => is === 'unknown').length,
  };
}

interface JobSet {
  readonly jobs: ReadonlySet<number>;
  readonly isExact: boolean;
}

/** Jobs that may have one of the terms. */
async function someOf(plan: SearchPlan, terms: readonly SearchTerm[]): Promise<JobSet> {
  const found = await Promise.all(terms.map((term) => jobsWithTerm(plan, term)));
  return {
    jobs: new Set(found.flatMap(({ jobs }) => [...jobs])),
    isExact: found.every(({ isExact }) => isExact),
  };
}

async function jobsWithTerm(plan: SearchPlan, term: SearchTerm): Promise<JobSet> {
  const { words, isExact } = lookedUp(term);
  const found = await Promise.all(words.map(({ word, isStart }) => jobsWith(plan, word, isStart)));
  const [first, ...others] = found.sort((a, b) => a.size - b.size);
  const jobs = [...(first ?? [])].filter((job) => others.every((jobSet) => jobSet.has(job)));
  return { jobs: new Set(jobs), isExact };
}

async function jobsWith(
  { partitions }: SearchPlan,
  word: string,
  isStart: boolean,
): Promise<Set<number>> {
  const matches = (other: string): boolean => (isStart ? other.startsWith(word) : other === word);
  // what begins with one character is in every partition
  const isAnywhere = isStart && Array.from(word).length === 1;
  const pieces = partitions.flatMap((firsts, partition) =>
    isAnywhere || partition === indexPartitionOf(word)
      ? piecesWith(firsts, word, matches).map((piece) => `f/${partition}-${piece}`)
      : [],
  );
  const jobs = new Set<number>();
  for (const piece of await Promise.all(pieces.map((key) => load<IndexPiece>(key)))) {
    for (const [other, steps] of piece) {
      if (!matches(other)) continue;
      let number = 0;
      for (const step of steps.split(' ')) jobs.add((number += parseInt(step, 36)));
    }
  }
  return jobs;
}

/** @param firsts the first word of each piece */
function piecesWith(
  firsts: readonly string[],
  word: string,
  matches: (other: string) => boolean,
): number[] {
  return firsts.flatMap((first, index) => {
    const next = firsts[index + 1];
    const beginsInTime = first <= word || matches(first);
    const endsInTime = next === undefined || next > word || matches(next);
    return beginsInTime && endsInTime ? [index] : [];
  });
}

/** What a search looks through in a job: the same as the command `jobvault search`. */
export interface SearchedJob {
  /** Folded: where words and phrases are looked for. */
  readonly words: readonly string[];
  /** As people read it, the most telling first: what a result shows. */
  readonly texts: readonly string[];
}

/** A job that a search has found; nothing where its piece does not have it. */
export async function searchedJob(found: FoundJob): Promise<SearchedJob> {
  const { jobs, tables } = await load<PieceData>(`s/${found.session}-${found.piece}`);
  const job = jobs.find(({ id }) => id === found.id);
  if (!job) return { words: [], texts: [] };
  const { question, answer, steps } = job;
  const blocks = [...answer, ...question, ...steps.flatMap((step) => step.blocks)];
  const said = [...blocks.flatMap(textsOfBlock), found.sessionName ?? ''];
  const shown = blocks.flatMap((block) =>
    block.kind === 'table' ? (tables[block.table] ?? []) : [],
  );
  const rows = shown.flatMap(({ above, header, rows: tableRows }) => [above, header, ...tableRows]);
  return {
    words: [...said.map(foldText), ...shown.map(wordsOfTable)],
    texts: [...said, ...rows.map((row) => row.join(' '))],
  };
}

function textsOfBlock(block: BlockView): string[] {
  switch (block.kind) {
    case 'code':
    case 'text':
      return [block.text];
    case 'markdown':
      return [wordsOfMarkdown(block.text)];
    case 'sources':
      return block.sources.flatMap(({ name, passage }) => [name, passage]);
    case 'questions':
      return [...block.questions];
    case 'json':
      return block.json === null ? [] : [block.json];
    case 'lost':
      return block.name === null ? [] : [block.name];
    case 'table':
    case 'image':
    case 'file':
      return [block.name];
  }
}
