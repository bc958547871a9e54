/** What a search has found, with the place where it was found. */
import type { BlockView, FoundJob, JobView, PieceData } from '../page-data.js';
import { folded, queryWords } from '../words.js';
import { load } from './data.js';
import { count, make, speak, timeText } from './dom.js';
import { jobAddress } from './routes.js';
import { foundJob, hitsOf } from './search.js';

const SHOWN_AT_ONCE = 20;
const AROUND = 90;

export async function searchView(query: string): Promise<HTMLElement> {
  const { jobs, isEmpty } = await hitsOf(query);
  const told = isEmpty
    ? 'Write a word to look for.'
    : `${count(jobs.length, 'job')} with “${query}”`;
  speak(told);
  const list = make('ol', { class: 'hits' });
  const more = make('button', { type: 'button', class: 'more' }, 'Show more');
  const words = queryWords(query).map(({ word }) => word);
  let shown = 0;
  const showMore = async (): Promise<void> => {
    const next = jobs.slice(shown, shown + SHOWN_AT_ONCE);
    shown += next.length;
    more.hidden = shown >= jobs.length;
    const found = await Promise.all(next.map(foundJob));
    for (const job of found) if (job) list.append(hitElement(job, words));
  };
  await showMore();
  more.addEventListener('click', () => void showMore());
  return make('div', {}, make('h1', { tabindex: -1 }, told), list, more);
}

function hitElement(job: FoundJob, words: readonly string[]): HTMLElement {
  const place = [job.sessionName ?? job.sessionId, job.user, timeText(job.created)];
  const snippet = make('p', { dir: 'auto' });
  void fillSnippet(snippet, job, words).catch(() => undefined); // the hit stands without it
  return make(
    'li',
    {},
    make(
      'a',
      { href: jobAddress(job.user, job.sessionId, job.id), dir: 'auto' },
      ...marked(job.question === '' ? job.id : job.question, words),
    ),
    snippet,
    make('small', {}, place.filter((one) => one !== '').join(' · ')),
  );
}

async function fillSnippet(
  element: HTMLElement,
  { session, piece, id }: FoundJob,
  words: readonly string[],
): Promise<void> {
  const { jobs } = await load<PieceData>(`s/${session}-${piece}`);
  const job = jobs.find((one) => one.id === id);
  if (!job) return;
  const text = textOf(job);
  const plain = text.toLowerCase();
  const at = words.map((word) => plain.indexOf(word)).find((place) => place >= 0) ?? 0;
  const start = Math.max(0, at - AROUND);
  const end = Math.min(text.length, at + 2 * AROUND);
  const cut = text.slice(start, end);
  element.append(start > 0 ? '…' : '', ...marked(cut, words), end < text.length ? '…' : '');
}

function textOf({ answer, steps }: JobView): string {
  return [...answer, ...steps.flatMap((step) => [...step.blocks])]
    .map(blockText)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function blockText(block: BlockView): string {
  switch (block.kind) {
    case 'markdown':
    case 'code':
      return new DOMParser().parseFromString(block.html, 'text/html').body.textContent;
    case 'sources':
      return block.sources.map(({ name }) => name).join(', ');
    case 'questions':
      return block.questions.join(' ');
    case 'text':
      return block.text;
    case 'json':
      return block.json;
    case 'table':
    case 'image':
    case 'file':
    case 'lost':
      return block.name;
  }
}

/** The words in a text, marked, as far as they stand there letter by letter. */
function marked(text: string, words: readonly string[]): (Node | string)[] {
  const plain = Array.from(text, (one) => {
    const letter = folded(one);
    return letter.length === one.length
      ? letter
      : one.toLowerCase().slice(0, one.length).padEnd(one.length);
  }).join('');
  const parts: (Node | string)[] = [];
  let from = 0;
  while (from < text.length) {
    const next = nextWord(plain, words, from);
    if (!next) break;
    parts.push(text.slice(from, next.at), make('mark', {}, text.slice(next.at, next.end)));
    from = next.end;
  }
  parts.push(text.slice(from));
  return parts;
}

function nextWord(plain: string, words: readonly string[], from: number) {
  let best: { readonly at: number; readonly end: number } | undefined;
  for (const word of words) {
    const at = plain.indexOf(word, from);
    if (at >= 0 && (best === undefined || at < best.at)) best = { at, end: at + word.length };
  }
  return best;
}
