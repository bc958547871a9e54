/** What a search has found, as far as it was read; and what to try where it has found nothing. */
import { matchesWords, spansOfWords } from '../../search/find-words.js';
import { hasNoWords, parseWords, type SearchWords } from '../../search/parse-words.js';
import { NEVER_SEARCHED, SEARCH_FIELDS, searchedText } from '../../search/search-fields.js';
import { visibleId } from '../../base/text/direction.js';
import type { FoundJob, PeopleData } from '../page-data.js';
import { askedIso, askedText } from './known-times.js';
import { load } from './data.js';
import { count, make, speak } from './elements.js';
import { hasPeriod, jobAddress, NO_FILTER, searchAddress, type Filter } from './addresses.js';
import { downloadButton } from './lists.js';
import { filterText } from './filters.js';
import { inPieces } from './marks.js';
import { candidatesOf, foundJob, searchedJob, type Candidates } from './search.js';
import { sessionsIn } from './job-times.js';

const SHOWN_AT_ONCE = 20;
const READ_AT_ONCE = 8;
const AROUND = 90;
/** The characters of a text that an excerpt is sought in. */
const MAX_CHARACTERS = 20_000;

/** @param isWanted false as soon as something else is looked for: then reading ends */
export async function searchView(
  query: string,
  filter: Filter,
  isWanted: () => boolean,
): Promise<HTMLElement> {
  const words = parseWords(query);
  if (hasNoWords(words)) return emptyQuery(filter);
  const candidates = await candidatesOf(words, filter);
  const results = new Results(words, candidates, isWanted);
  const heading = make('h1', { tabindex: -1 });
  const list = make('ol', { class: 'hits' });
  const more = make('button', { type: 'button', class: 'more' }, 'Show more');
  const showMore = async (): Promise<void> => {
    for (const job of await results.next(SHOWN_AT_ONCE)) {
      list.append(hitElement(job, words, filter));
    }
    more.hidden = results.isDone;
    const some = `${count(results.found, 'question')}${results.isCounted ? '' : ' and more'}`;
    heading.textContent = `${results.found === 0 ? 'No question' : some} with ${quoted(query)} ${filterText(filter)}`;
  };
  await showMore();
  speak(heading.textContent);
  more.addEventListener('click', () => void showMore());
  if (results.found === 0) {
    return make('div', {}, heading, ...(await helpWith(query, filter, candidates)));
  }
  return make(
    'div',
    {},
    heading,
    unknownNote(candidates),
    make(
      'p',
      {},
      downloadButton('search', CSV_COLUMNS, async () => csvRows(await results.all())),
    ),
    list,
    more,
    scopeNote(),
  );
}

/** What makes a count here and one of the command differ. */
function scopeNote(): HTMLElement {
  return make('p', { class: 'note' }, withLacking(SCOPE));
}

const SCOPE = `Searched, as by the command jobvault search: ${searchedText(SEARCH_FIELDS)}. Not searched: ${NEVER_SEARCHED.join(', ')}.`;
const WITHOUT_TEXTS =
  'This is a pseudonymised copy that holds no texts. Nothing was searched, which tells nothing of what was asked and answered: search the archive that it was made of.';
const WITHOUT_NAMES =
  'This is a pseudonymised copy: names of conversations and what is in tables are not in it.';

/** What was searched, and what is not there to be found. */
function withLacking(searched: string): string {
  const { texts } = document.body.dataset;
  if (texts === 'dropped') return WITHOUT_TEXTS;
  return texts === 'kept' ? `${searched} ${WITHOUT_NAMES}` : searched;
}

/** Jobs that were found, in turn; those of which the index does not know are read. */
class Results {
  found = 0;
  #at = 0;
  readonly #words: SearchWords;
  readonly #candidates: Candidates;
  readonly #isWanted: () => boolean;
  readonly #jobs: FoundJob[] = [];

  constructor(words: SearchWords, candidates: Candidates, isWanted: () => boolean) {
    this.#words = words;
    this.#candidates = candidates;
    this.#isWanted = isWanted;
    if (candidates.isExact) this.found = candidates.jobs.length;
  }

  get isDone(): boolean {
    return this.#at >= this.#candidates.jobs.length;
  }

  /** Whether `found` is all that there are. */
  get isCounted(): boolean {
    return this.isDone || this.#candidates.isExact;
  }

  async next(most: number): Promise<FoundJob[]> {
    const before = this.#jobs.length;
    while (!this.isDone && this.#jobs.length < before + most && this.#isWanted()) {
      const room = this.#candidates.isExact ? before + most - this.#jobs.length : READ_AT_ONCE;
      const numbers = this.#candidates.jobs.slice(this.#at, this.#at + room);
      this.#at += numbers.length;
      const jobs = await Promise.all(numbers.map((number) => this.#read(number)));
      this.#jobs.push(...jobs.filter((job) => job !== undefined));
    }
    if (!this.#candidates.isExact) this.found = this.#jobs.length;
    return this.#jobs.slice(before);
  }

  async all(): Promise<readonly FoundJob[]> {
    const { jobs, isExact } = this.#candidates;
    const numbers = jobs.slice(this.#at);
    const rest: FoundJob[] = [];
    for (let at = 0; at < numbers.length; at += READ_AT_ONCE) {
      const some = numbers.slice(at, at + READ_AT_ONCE);
      const read = await Promise.all(
        some.map((number) => (isExact ? foundJob(number) : this.#read(number))),
      );
      rest.push(...read.filter((job) => job !== undefined));
    }
    return [...this.#jobs, ...rest];
  }

  async #read(number: number): Promise<FoundJob | undefined> {
    const job = await foundJob(number);
    if (!job || this.#candidates.isExact) return job;
    const { words } = await searchedJob(job);
    return matchesWords(this.#words, words) ? job : undefined;
  }
}

const CSV_COLUMNS = [
  'user_id',
  'session_id',
  'session_name',
  'job_id',
  'created_at',
  'created_after',
  'created_before',
  'question',
];

function csvRows(jobs: readonly FoundJob[]): (string | null)[][] {
  return jobs.map(({ user, sessionId, sessionName, id, created, question }) => {
    const [at, [after, before]] =
      typeof created === 'number' ? [created, [null, null]] : [null, created ?? [null, null]];
    const times = [at, after, before].map((ms) => (ms === null ? null : askedIso(ms)));
    return [user, sessionId, sessionName, id, ...times, question];
  });
}

function hitElement(job: FoundJob, words: SearchWords, filter: Filter): HTMLElement {
  const place = [
    askedText(job.created),
    visibleId(job.user),
    job.sessionName ?? visibleId(job.sessionId),
  ];
  const excerpt = make('p', { dir: 'auto' });
  void fillExcerpt(excerpt, job, words).catch(() => undefined); // the hit stands without it
  return make(
    'li',
    {},
    make(
      'a',
      { href: jobAddress(job.user, job.sessionId, job.id, filter), dir: 'auto' },
      ...inPieces(job.question === '' ? visibleId(job.id) : job.question, words),
    ),
    excerpt,
    make(
      'small',
      {},
      ...place
        .filter((part) => part !== '')
        .flatMap((part, at) => [at === 0 ? null : ' · ', make('bdi', {}, part)]),
    ),
  );
}

/** The first place that has a word of it, else how the answer begins. */
async function fillExcerpt(element: HTMLElement, job: FoundJob, words: SearchWords): Promise<void> {
  const { texts: all } = await searchedJob(job);
  const texts = all.map((text) => text.slice(0, MAX_CHARACTERS).replace(/\s+/g, ' ').trim());
  const [first = ''] = texts;
  const text = texts.find((candidate) => spansOfWords(words, candidate).length > 0) ?? first;
  const at = spansOfWords(words, text)[0]?.start ?? 0;
  const start = Math.max(0, at - AROUND);
  const end = Math.min(text.length, at + 2 * AROUND);
  const cut = text.slice(start, end);
  const pieces = inPieces(cut, words);
  element.append(make('bdi', {}, start > 0 ? '…' : '', ...pieces, end < text.length ? '…' : ''));
}

function unknownNote({ unknown, isExact }: Candidates): HTMLElement | null {
  if (unknown === 0) return null;
  const jobs = `${isExact ? '' : 'up to '}${count(unknown, 'more question')}`;
  return make(
    'p',
    { class: 'note' },
    `Not counted: ${jobs} with these words, without a timestamp; nobody can tell whether these dates apply.`,
  );
}

async function emptyQuery(filter: Filter): Promise<HTMLElement> {
  const jobs = await searchedJobs(filter);
  const text = `Write what to look for in ${count(jobs, 'question')} ${filterText(filter)}`;
  return make('div', {}, make('h1', { tabindex: -1 }, text), tips());
}

/** What was searched, what is not there, and other ways to ask. */
async function helpWith(
  query: string,
  filter: Filter,
  { unknown, missing, isExact }: Candidates,
): Promise<(HTMLElement | null)[]> {
  const jobs = await searchedJobs(filter);
  const ways: HTMLElement[] = [];
  if (filterText(filter) !== '') {
    const all = await candidatesOf(parseWords(query), NO_FILTER);
    if (all.jobs.length > 0) {
      const some = `${all.isExact ? '' : 'up to '}${count(all.jobs.length, 'question')}`;
      ways.push(make('a', { href: searchAddress(query) }, `Search everything: ${some}`));
    }
  }
  const plain = query.replace(/["“”„«»＂]/g, '');
  if (plain !== query && missing.length === 0) {
    ways.push(make('a', { href: searchAddress(plain, filter) }, 'Search the words without quotes'));
  }
  const missingText = missing
    .map((term) => `No question of this report has ${quoted(term)} in what is searched.`)
    .join(' ');
  return [
    unknownNote({ jobs: [], unknown, missing, isExact }),
    make('p', {}, withLacking(`${count(jobs, 'question')} searched. ${missingText}`)),
    ways.length === 0 ? null : make('ul', {}, ...ways.map((way) => make('li', {}, way))),
    tips(),
  ];
}

/** How many jobs a filter leaves. */
async function searchedJobs(filter: Filter): Promise<number> {
  const { users } = await load<PeopleData>('people');
  const chosen = users.filter(({ id }) => filter.user === null || filter.user === id);
  if (!hasPeriod(filter)) return chosen.reduce((sum, { jobs }) => sum + jobs, 0);
  const numbers = new Set(chosen.map(({ number }) => number));
  const found = await sessionsIn(filter);
  return found.reduce((sum, { user, jobs }) => sum + (numbers.has(user) ? jobs : 0), 0);
}

function tips(): HTMLElement {
  const lines = [
    ['sales report', 'questions with both words; a word is found by its beginning, too'],
    ['"net revenue"', 'these words in this order'],
    ['sales -draft', 'without a word'],
    ['2024 OR 2025', 'one of them'],
  ].map(([example = '', meaning = '']) =>
    make('div', {}, make('dt', {}, make('code', {}, example)), make('dd', {}, meaning)),
  );
  return make(
    'section',
    { class: 'card tips' },
    make('h2', {}, 'How to search'),
    make('dl', {}, ...lines),
    make(
      'p',
      { class: 'note' },
      'Words of any language are found; case, accents, hyphens and marks around a word do not matter.',
    ),
    scopeNote(),
  );
}

function quoted(text: string): string {
  return `“${text}”`;
}
