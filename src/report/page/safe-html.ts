/** Checks the HTML of Markdown and code a second time: only elements and attributes on these lists get into the page. */
import { visibleDirections } from '../../base/text/direction.js';

/** A picture that stands in the text: the report has it as a file. */
export const PICTURE = /^data\/texts\/\d{1,15}-\d{1,15}\.(?:png|jpg|gif|webp|avif|bmp|ico)$/;

const TAGS = new Set([
  'P',
  'BR',
  'IMG',
  'HR',
  'DIV',
  'SPAN',
  'EM',
  'STRONG',
  'S',
  'SUB',
  'SUP',
  'BLOCKQUOTE',
  'A',
  'PRE',
  'CODE',
  'UL',
  'OL',
  'LI',
  'H3',
  'H4',
  'H5',
  'H6',
  'TABLE',
  'THEAD',
  'TBODY',
  'TR',
  'TH',
  'TD',
]);
/** With the values that they may have. */
const ATTRIBUTES: ReadonlyMap<string, RegExp> = new Map([
  // one alternative once: repeated, it would take exponential time over `hljshljs…!`
  ['class', /^(?:hljs[\w -]*|wide|long|to-(?:left|center|right)(?: short)?|short|formula)$/],
  ['dir', /^(?:auto|ltr|rtl)$/],
  ['src', PICTURE],
  ['alt', /^/],
  ['href', /^(?:https?:\/\/|mailto:)/i],
  ['rel', /^noopener noreferrer nofollow$/],
  ['target', /^_blank$/],
  ['tabindex', /^0$/],
  ['role', /^group$/],
  ['aria-label', /^Table$/],
  ['start', /^\d{1,9}$/],
  ['value', /^\d{1,9}$/],
]);

/** Parsed where nothing runs and nothing loads. What would turn the direction of a text is shown. */
export function safeHtml(html: string): DocumentFragment {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const element of parsed.body.querySelectorAll('*')) {
    if (TAGS.has(element.tagName)) clean(element);
    else element.replaceWith(document.createTextNode(element.textContent));
  }
  const texts = document.createTreeWalker(parsed.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    text.data = visibleDirections(text.data);
  }
  const fragment = document.createDocumentFragment();
  fragment.append(...parsed.body.childNodes);
  return fragment;
}

function clean(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    if (!ATTRIBUTES.get(name)?.test(value)) element.removeAttribute(name);
  }
}
