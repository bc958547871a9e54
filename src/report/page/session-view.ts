/** A session as a conversation: what is said of it, the outline of its questions, its jobs in pieces as they come into sight. */
import { partText } from '../../base/text/counted.js';
import { gapCountTexts } from '../../model/gap-counts.js';
import type { PieceData, SessionData } from '../page-data.js';
import { load } from './data.js';
import { count, make } from './elements.js';
import { jobAddress } from './addresses.js';
import { visibleId } from '../../base/text/direction.js';
import { askedText, exportedText } from './known-times.js';
import { jobElement } from './job-element.js';
import { badges, holdNotes } from './standing.js';
import { markedText } from './marks.js';

/** A guess that keeps the scroll bar honest before a piece is there. */
const JOB_HEIGHT_PX = 600;
/** Up to this number, all pieces are loaded before anybody scrolls: the browser's own print command then has them. */
const FEW_PIECES = 10;

export interface SessionView {
  readonly element: HTMLElement;
  /** Brings a job into sight; false where the session has no such job. */
  readonly goTo: (job: string) => Promise<boolean>;
  /** For paper: gaps are unfolded, steps stay as they are; whatever is not loaded says so there. */
  readonly forPaper: () => void;
}

export async function sessionView(number: number): Promise<SessionView> {
  const session = await load<SessionData>(`s/${number}`);
  const pieces = session.pieces.map((jobs, index) => new Piece(session, index, jobs));
  const conversation = make(
    'div',
    { class: 'conversation' },
    ...pieces.map(({ element }) => element),
  );
  watch(pieces);
  await pieces[0]?.show();
  if (pieces.length <= FEW_PIECES) void showInTurn(pieces).catch(() => undefined); // scrolling asks again
  const head = headElement(session, async () => {
    await Promise.all(pieces.map((piece) => piece.show()));
    forPaper();
    window.print();
  });
  const forPaper = (): void => {
    prepareForPaper(head, conversation);
  };
  const element = make(
    'div',
    { class: 'session' },
    head,
    make('div', { class: 'columns' }, outlineElement(session), conversation),
  );
  return {
    element,
    forPaper,
    goTo: async (job) => {
      const place = session.outline.findIndex(({ id }) => id === job);
      const piece = pieces.find(({ end }) => place < end);
      if (place < 0 || !piece) return false;
      await piece.show();
      const article = piece.element.children[place - piece.start];
      if (!(article instanceof HTMLElement)) return false;
      article.scrollIntoView();
      article.focus({ preventScroll: true });
      return true;
    },
  };
}

/** A whole session for paper: nothing is left to load, and steps stay folded. */
export async function sessionOnPaper(number: number): Promise<HTMLElement> {
  const session = await load<SessionData>(`s/${number}`);
  const pieces = session.pieces.map((jobs, index) => new Piece(session, index, jobs));
  await showInTurn(pieces);
  const conversation = pieces.map(({ element }) => element);
  const head = headElement(session, null);
  const element = make('div', { class: 'session' }, head, ...conversation);
  prepareForPaper(head, element);
  return element;
}

function prepareForPaper(head: HTMLElement, conversation: HTMLElement): void {
  for (const details of head.querySelectorAll('details')) details.open = true;
  for (const image of conversation.querySelectorAll('img')) image.loading = 'eager';
}

class Piece {
  readonly element: HTMLElement;
  readonly start: number;
  readonly end: number;
  #showing: Promise<void> | undefined;
  readonly #session: SessionData;
  readonly #index: number;

  constructor(session: SessionData, index: number, jobs: number) {
    this.#session = session;
    this.#index = index;

    this.start = session.pieces.slice(0, index).reduce((sum, jobCount) => sum + jobCount, 0);
    this.end = this.start + jobs;
    const jobsOf = `Questions ${this.start + 1} to ${this.end}`;
    const note = `${jobsOf} are not loaded yet: print with the button at the top of this page.`;
    this.element = make('div', { class: 'piece' }, make('p', { class: 'lost on-paper' }, note));
    this.element.style.minHeight = `${jobs * JOB_HEIGHT_PX}px`;
  }

  show(): Promise<void> {
    this.#showing ??= this.#fill().catch((error: unknown) => {
      this.#showing = undefined;
      throw error;
    });
    return this.#showing;
  }

  async #fill(): Promise<void> {
    const { number, user, id, name, archived } = this.#session;
    const { jobs, tables } = await load<PieceData>(`s/${number}-${this.#index}`);
    const place = { user, session: id, name: name ?? '', archived };
    const articles = jobs.map((job) => jobElement(job, place, tables));
    this.element.replaceChildren(...articles);
    this.element.style.minHeight = '';
  }
}

async function showInTurn(pieces: readonly Piece[]): Promise<void> {
  for (const piece of pieces) await piece.show();
}

/** Shows a piece shortly before it comes into sight. */
function watch(pieces: readonly Piece[]): void {
  const byElement = new Map<Element, Piece>(pieces.map((piece) => [piece.element, piece]));
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        void byElement.get(target)?.show();
      }
    },
    { rootMargin: '1500px' },
  );
  for (const { element } of pieces) observer.observe(element);
}

function headElement(session: SessionData, print: (() => Promise<void>) | null): HTMLElement {
  const { name, id, jobs, language, mode, context, created, exported } = session;
  const { marks, isHeld, holds, gaps, gapList, withheldBy, text } = session;
  const button = print && printButton(print);
  const facts: [string, string][] = [
    ['Questions', partText(jobs, session)],
    ['Language', language ?? 'unknown'],
    ['Mode', mode ?? 'unknown'],
    ['Setting', contextText(context)],
    ['Made', askedText(created)],
    ['Exported', exportedText(exported)],
    ['Id', visibleId(id)],
  ];
  return make(
    'div',
    { class: 'head' },
    make('p', { class: 'on-paper' }, `User ${session.user}`),
    make(
      'h1',
      { tabindex: -1, dir: 'auto' },
      ...(name === null || name === '' ? [visibleId(id)] : markedText(name, 'name')),
    ),
    button,
    text === null ? null : make('p', { class: 'note' }, make('a', { href: text }, 'As a text')),
    make('p', {}, ...badges(isHeld ? ['on hold'] : []), ...badges(marks, 'mark bad')),
    holdNotes(holds),
    ...withheldBy.map((text) => make('p', { class: 'note' }, `${text}.`)),
    make(
      'dl',
      { class: 'facts' },
      ...facts
        .filter(([, value]) => value !== '')
        .map(([term, value]) =>
          make('div', {}, make('dt', {}, term), make('dd', { dir: 'auto' }, value)),
        ),
    ),
    gapList.length === 0
      ? null
      : make(
          'details',
          { class: 'lost' },
          make('summary', {}, `${gapCountTexts(gaps).join(', ')} in this conversation`),
          make(
            'ul',
            {},
            ...gapList.map(({ kind, status, reason, meaning, job }) =>
              make(
                'li',
                {},
                `${kind ?? 'Conversation'}: ${status}, ${reason}; ${meaning}. `,
                job === null
                  ? null
                  : make(
                      'a',
                      { href: jobAddress(session.user, session.id, job) },
                      'See the question',
                    ),
              ),
            ),
          ),
        ),
  );
}

/** How many earlier jobs the service was told to look at, which is not how many were there. */
function contextText(jobs: number | null): string {
  if (jobs === null) return 'unknown how many earlier questions an answer takes into account';
  return `an answer takes up to ${count(jobs, 'earlier question')} into account`;
}

function printButton(print: () => Promise<void>): HTMLElement {
  const button = make('button', { type: 'button', class: 'plain' }, 'Print');
  button.addEventListener('click', () => void print());
  return button;
}

function outlineElement(session: SessionData): HTMLElement {
  const { user, id, outline } = session;
  const isOrderKnown = outline.every(({ number }) => number !== null);
  const items = outline.map(({ id: job, question, number }) =>
    make(
      'li',
      number === null ? {} : { value: number },
      make(
        'a',
        { href: jobAddress(user, id, job), dir: 'auto' },
        question === '' ? visibleId(job) : question,
      ),
    ),
  );
  const details = make(
    'details',
    { open: matchMedia('(min-width: 960px)').matches },
    make('summary', {}, partText(outline.length, session, 'question')),
    isOrderKnown
      ? make('ol', {}, ...items)
      : make('ul', { 'aria-label': 'In no known order' }, ...items),
  );
  return make('nav', { class: 'outline', 'aria-label': 'Questions of this conversation' }, details);
}
