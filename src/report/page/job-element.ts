/** A turn of the conversation: the question, the folded steps, the answer. */
import { MAY_CHANGE, whyNoAnswer } from '../../model/blocks/answered.js';
import { shapeOf } from '../../model/blocks/block-types.js';
import { visibleId } from '../../base/text/direction.js';
import { hitFieldText, type SearchField } from '../../search/search-fields.js';
import type { BlockView, JobView, TableView } from '../page-data.js';
import { exportedText } from './known-times.js';
import { count, make, timeElement } from './elements.js';
import { jobAddress } from './addresses.js';
import { sentParts } from './sent-text.js';
import { blockElement, type AroundBlock } from './block-element.js';
import { fieldOfQuestion, markedText, withMarks } from './marks.js';

export interface Place {
  readonly user: string;
  readonly session: string;
  /** The name of the session; empty where it has none. */
  readonly name: string;
  /** How many jobs of the session are archived. */
  readonly archived: number;
}

export function jobElement(job: JobView, place: Place, tables: readonly TableView[]): HTMLElement {
  const { number } = job;
  const address = jobAddress(place.user, place.session, job.id);
  const link = make(
    'a',
    { href: address, title: `Link to question ${visibleId(job.id)}` },
    number === null ? 'Link' : `#${number}`,
  );
  const id = make('span', { class: 'on-paper' }, `question ${visibleId(job.id)}`);
  const head = make('div', { class: 'about' }, link, id);
  if (job.created !== null) head.append(timeElement(job.created));
  if (job.isUndated) head.append(make('span', { class: 'mark' }, 'may lie outside of the period'));
  if (!job.settled) head.append(make('span', { class: 'mark' }, MAY_CHANGE));
  if (job.version > 1) head.append(make('span', { class: 'mark' }, `version ${job.version}`));
  const article = make('article', {
    class: 'job',
    tabindex: -1,
    'aria-label': number === null ? `Question ${job.id}` : `Question ${number}`,
  });
  article.dataset['job'] = job.id;
  article.append(runningHead(job, place), head);
  if (job.redaction !== null) article.append(make('p', { class: 'note' }, job.redaction));
  const isSent = job.redaction === null;
  article.append(...turn(job, tables, { isNewest: true, isSent }));
  if (job.found.length > 0 || lacksFileOfSteps(job)) openSteps(article, { all: false });
  if (job.found.length > 0) {
    head.append(make('span', { class: 'mark' }, `found in ${foundText(article, job)}`));
  }
  for (const earlier of job.earlier) article.append(earlierElement(earlier, tables, isSent));
  return article;
}

/** Paper repeats it on every sheet of the job: whose question it is, of which conversation, and which one. */
function runningHead({ id, number }: JobView, place: Place): HTMLElement {
  const { user, session, name, archived } = place;
  const named = name === '' ? [] : ['“', make('bdi', {}, name), '”, '];
  return make(
    'p',
    { class: 'running on-paper' },
    'User ',
    make('bdi', {}, visibleId(user)),
    ' · ',
    ...named,
    `conversation ${visibleId(session)} · question ${number ?? visibleId(id)} of ${archived}`,
  );
}

/**
 * @param isNewest whether it is the version in which a search looked for words
 * @param isSent whether its texts are as they were sent: those that stand for redacted ones are not
 */
function turn(
  job: JobView,
  tables: readonly TableView[],
  { isNewest, isSent }: { readonly isNewest: boolean; readonly isSent: boolean },
): HTMLElement[] {
  const inQuestion: AroundBlock = { tables, markedIn: isNewest ? 'question' : null, isSent };
  const inAnswer: AroundBlock = { tables, markedIn: isNewest ? 'answer' : null, isSent };
  const question = make('div', { class: 'question' }, paperLabel('Question'));
  const [first, ...rest] = job.question;
  if (first?.kind === 'text') {
    const asked = isNewest ? markedText(first.text, 'question') : [first.text];
    question.append(make('h2', { dir: 'auto' }, ...asked), ...asSent(first.text, inQuestion));
  } else
    question.append(
      make('h2', { class: 'unseen' }, 'Question'),
      ...elements(first ? [first] : [], inQuestion),
    );
  question.append(...elements(rest, inQuestion));
  const answer = make('div', { class: 'answer' }, paperLabel('Answer'));
  if (job.steps.length > 0) {
    answer.append(stepsElement(job, { ...inAnswer, shownBelow: filesOf(job.answer) }));
  }
  answer.append(...elements(job.answer, inAnswer));
  if (!job.isAnswered) {
    const where = job.steps.length > 0 ? 'the steps above' : null;
    const why = whyNoAnswer(job.answer.length > 0, where);
    const none = `There was no answer when this was archived${why}.`;
    answer.append(make('p', { class: 'lost' }, none));
  }
  return [question, answer];
}

/** On a screen the shape of a bubble says it. */
function paperLabel(text: string): HTMLElement {
  return make('p', { class: 'label on-paper' }, text);
}

function filesOf(blocks: readonly BlockView[]): ReadonlySet<string> {
  return new Set(
    blocks.flatMap((block) =>
      block.kind === 'table' || block.kind === 'image' ? [block.file] : [],
    ),
  );
}

function elements(blocks: readonly BlockView[], shown: AroundBlock): HTMLElement[] {
  return blocks.flatMap((block) => {
    const element = markedBlock(block, shown);
    return 'text' in block ? [element, ...asSent(block.text, shown)] : element;
  });
}

function markedBlock(block: BlockView, shown: AroundBlock): HTMLElement {
  const element = blockElement(block, shown);
  const field = shown.markedIn && fieldOf(block, shown.markedIn);
  if (field === null) return element;
  const parts = SEARCHED_PARTS[block.kind];
  if (parts === undefined) return withMarks(element, field);
  for (const part of element.querySelectorAll<HTMLElement>(parts)) withMarks(part, field);
  return element;
}

/** A text whose every character is there to be copied; only screens show it. */
function asSent(text: string, { isSent }: AroundBlock): HTMLElement[] {
  if (!isSent) return [];
  const shown = folded(['As sent'], 'sent', () => [
    make('pre', { tabindex: 0, dir: 'auto' }, ...sentParts(text)),
  ]);
  return [shown];
}

/** The words of the page's own that a block has beside those of the service. */
const SEARCHED_PARTS: Readonly<Partial<Record<BlockView['kind'], string>>> = {
  code: ':scope > :not(.language)',
  sources: 'b, blockquote',
  questions: 'li',
};

/** What all of a block counts as in a search; null of one of several fields, and of one in which none looks. */
function fieldOf({ kind }: BlockView, part: 'question' | 'answer'): SearchField | null {
  switch (kind) {
    case 'text':
    case 'markdown':
      return part;
    case 'code':
      return part === 'question' ? fieldOfQuestion('code') : 'code';
    case 'sources':
    case 'questions':
      return 'answer';
    case 'table':
    case 'image':
    case 'file':
    case 'lost':
    case 'json':
      return null;
  }
}

function stepsElement({ steps }: JobView, shown: AroundBlock): HTMLElement {
  const list = steps.map(({ name, blocks }) =>
    folded(
      [
        make('bdi', {}, name === '' ? 'Other steps' : name),
        make('small', {}, count(blocks.length, 'block')),
      ],
      'step',
      () => elements(blocks, shown),
    ),
  );
  return folded(
    [`How the answer was reached: ${count(steps.length, 'step')}`],
    'steps',
    () => list,
  );
}

function lacksFileOfSteps({ steps }: JobView): boolean {
  return steps.some(({ blocks }) => blocks.some(({ kind }) => kind === 'lost'));
}

/**
 * Opens all steps, or those in which words of a search are marked or a file is missing: they are seen without a click, also
 * on paper. The others are closed.
 */
export function openSteps(within: HTMLElement, { all }: { readonly all: boolean }): void {
  for (const details of within.querySelectorAll<HTMLDetailsElement>('details.steps')) {
    unfold(details);
    for (const step of details.querySelectorAll<HTMLDetailsElement>('details.step')) {
      unfold(step);
      step.open = all || isWorthSeeing(step);
    }
    details.open = all || isWorthSeeing(details);
  }
}

function unfold(details: HTMLDetailsElement): void {
  details.open = true;
  details.dispatchEvent(new Event('unfold'));
}

/** Words of a search, or the place of a file that is not here: what is missing is seen at its question. */
function isWorthSeeing(element: HTMLElement): boolean {
  return element.querySelector('mark, .lost') !== null;
}

/** What has the marks of a field, and what is said where it has none: the name of a session is not in the job. */
const MARKS_OF: Readonly<
  Record<SearchField, readonly [selector: string, otherwise: string] | null>
> = {
  question: ['.question mark', 'not in what is shown of it'],
  answer: [
    '.answer :is(.prose, .asked, .sources, .follow) mark',
    'not in what is shown of it, as in the address of a link',
  ],
  code: ['.code mark', 'not in what is shown of it'],
  table: ['.table :is(th, td) mark', 'beyond the rows shown, or what is shown of them'],
  file: [':is(figcaption, .file, .lost) mark', 'not shown'],
  name: null,
};

/** Where the words were found; where no mark shows them, that is said. */
function foundText(article: HTMLElement, job: JobView): string {
  const texts = job.found.map((field) => {
    const [selector, otherwise = ''] = MARKS_OF[field] ?? [];
    const isSeen = selector === undefined || article.querySelector(selector) !== null;
    const where = field === 'table' ? unseenTableText(job, otherwise) : otherwise;
    return hitFieldText(field) + (isSeen ? '' : ` (${where})`);
  });
  return texts.join(', ');
}

/** The words of a lost table are in the archive's rows, and nowhere on the page. */
function unseenTableText({ steps, question, answer }: JobView, otherwise: string): string {
  const blocks = [...question, ...steps.flatMap((step) => step.blocks), ...answer];
  const hasLost = blocks.some(
    (block) => block.kind === 'lost' && block.status === 'lost' && shapeOf(block.type) === 'table',
  );
  if (!hasLost) return otherwise;
  const hasOthers = blocks.some(({ kind }) => kind === 'table');
  return hasOthers ? `in one that is lost, or ${otherwise}` : 'in one that is lost';
}

function earlierElement(job: JobView, tables: readonly TableView[], isSent: boolean): HTMLElement {
  const when = job.exported === null ? '' : `, archived ${exportedText(job.exported)}`;
  return folded([`Earlier version ${job.version}${when}`], 'earlier', () =>
    turn(job, tables, { isNewest: false, isSent }),
  );
}

/** What is folded away is made when it is unfolded. */
function folded(
  summary: readonly (Node | string)[],
  name: string,
  content: () => readonly HTMLElement[],
): HTMLDetailsElement {
  const details = make('details', { class: name }, make('summary', {}, ...summary));
  let isMade = false;
  details.addEventListener('unfold', () => {
    if (isMade) return;
    isMade = true;
    details.append(make('div', { class: 'folded' }, ...content()));
  });
  details.addEventListener('toggle', () => details.dispatchEvent(new Event('unfold')));
  return details;
}
