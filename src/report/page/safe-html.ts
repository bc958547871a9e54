/** Checks the HTML of Markdown and code a second time: only elements and attributes on these lists get into the page. */

const TAGS = new Set([
  'P',
  'BR',
  'HR',
  'DIV',
  'SPAN',
  'EM',
  'STRONG',
  'S',
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
  ['class', /^(?:hljs[\w -]*|wide|long|to-(?:left|center|right)(?: short)?|short)$/],
  ['href', /^(?:https?:\/\/|mailto:)/i],
  ['rel', /^noopener noreferrer nofollow$/],
  ['target', /^_blank$/],
  ['tabindex', /^0$/],
  ['role', /^group$/],
  ['aria-label', /^Table$/],
  ['start', /^\d{1,9}$/],
]);

/** Parsed where nothing runs and nothing loads. */
export function safeHtml(html: string): DocumentFragment {
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const element of parsed.body.querySelectorAll('*')) {
    if (TAGS.has(element.tagName)) clean(element);
    else element.replaceWith(document.createTextNode(element.textContent));
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
