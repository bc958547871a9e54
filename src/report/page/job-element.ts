/** A turn of the conversation: the question, the folded steps, the answer. */
import type { BlockView, JobView, TableView } from '../page-data.js';
import { blockElement } from './block-element.js';
import { minuteOf } from '../when.js';
import { count, make, timeElement } from './dom.js';
import { jobAddress } from './routes.js';

export interface Place {
  readonly user: string;
  readonly session: string;
}

/** @param number its place in the session, from 1 */
export function jobElement(
  job: JobView,
  number: number,
  place: Place,
  tables: readonly TableView[],
): HTMLElement {
  const address = jobAddress(place.user, place.session, job.id);
  const link = make('a', { href: address, title: `Link to job ${job.id}` }, `#${number}`);
  const head = make('div', { class: 'about' }, link);
  if (job.created !== null) head.append(timeElement(job.created));
  if (!job.settled) head.append(make('span', { class: 'mark' }, 'may still change'));
  if (job.version > 1) head.append(make('span', { class: 'mark' }, `version ${job.version}`));
  if (job.found !== '') head.append(make('span', { class: 'mark' }, `found in ${job.found}`));
  const article = make('article', { class: 'job', tabindex: -1, 'aria-label': `Job ${number}` });
  article.dataset['job'] = job.id;
  article.append(head, ...turn(job, tables));
  for (const earlier of job.earlier) article.append(earlierElement(earlier, tables));
  return article;
}

function turn(job: JobView, tables: readonly TableView[]): HTMLElement[] {
  const question = make('div', { class: 'question', dir: 'auto' });
  const [first, ...rest] = job.question;
  if (first?.kind === 'text') question.append(make('h2', {}, first.text));
  else
    question.append(
      make('h2', { class: 'unseen' }, 'Question'),
      ...elements(first ? [first] : [], tables),
    );
  question.append(...elements(rest, tables));
  const answer = make('div', { class: 'answer' });
  if (job.steps.length > 0) answer.append(stepsElement(job, tables));
  answer.append(...elements(job.answer, tables));
  if (job.answer.length === 0) {
    answer.append(make('p', { class: 'lost' }, 'There was no answer when this was archived.'));
  }
  return [question, answer];
}

function elements(blocks: readonly BlockView[], tables: readonly TableView[]): HTMLElement[] {
  return blocks.map((block) => blockElement(block, tables));
}

function stepsElement({ steps }: JobView, tables: readonly TableView[]): HTMLElement {
  const list = steps.map(({ name, blocks }) =>
    folded(
      [
        make('span', {}, name === '' ? 'Without a group' : name),
        make('small', {}, count(blocks.length, 'block')),
      ],
      'step',
      () => elements(blocks, tables),
    ),
  );
  return folded(
    [`How the answer was reached: ${count(steps.length, 'step')}`],
    'steps',
    () => list,
  );
}

function earlierElement(job: JobView, tables: readonly TableView[]): HTMLElement {
  const when = job.exported === null ? '' : `, archived ${minuteOf(job.exported)}`;
  return folded([`Earlier version ${job.version}${when}`], 'earlier', () => turn(job, tables));
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

/** Unfolds everything below, whatever is in what unfolds included. */
export function unfoldAll(element: HTMLElement): void {
  for (const details of element.querySelectorAll('details')) {
    details.open = true;
    details.dispatchEvent(new Event('unfold'));
    for (const inner of details.querySelectorAll('details')) {
      inner.open = true;
      inner.dispatchEvent(new Event('unfold'));
    }
  }
}
