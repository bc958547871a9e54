/** The files that a text points to: images in Markdown or HTML, and URLs that bear a presigning scheme. */
import { type OTHER_FILE_KINDS } from '../model/blocks/block-types.js';
import { isWebUrl, presignedUrlsIn } from '../model/urls/file-url.js';
import { mayBePresigned } from '../model/urls/presigning.js';

interface TextLink {
  readonly kind: (typeof OTHER_FILE_KINDS)[0 | 1];
  /** An image's alternative text; null where it has none. */
  readonly name: string | null;
  readonly url: string;
}

interface Found extends TextLink {
  readonly start: number;
  /** The part of the text that is the URL; none where an image names a definition that is elsewhere. */
  readonly urlStart: number;
  readonly urlEnd: number;
}

const ALT = String.raw`!\[((?:[^[\]]|\[[^[\]]*\]){0,2000})\]`;
const INLINE_IMAGE = new RegExp(
  ALT + String.raw`\(\s*(?:<([^<>\n]{1,8192})>|((?:[^\s()<>]{1,8192}|\([^\s()]*\)){1,64}))`,
  'g',
);
const REFERENCE_IMAGE = new RegExp(ALT + String.raw`(?!\()(?:\[([^[\]]{0,999})\])?`, 'g');
const DEFINITION = /^ {0,3}\[([^[\]\n]{1,999})\]:[ \t]*<?([^\s<>][^\s<>]*)>?/gm;
const HTML_IMAGE =
  /<img\b[^<>]{0,4000}?\bsrc\s*=\s*(?:"([^"<>]{1,8192})"|'([^'<>]{1,8192})'|([^\s"'<>]{1,8192}))/gi;

/** What may stand before a fence in its line: quotes and lists. */
const FENCE_BEFORE = /(?:^|\n)[ \t>*+-]*(?:\d{1,9}[.)])?[ \t]*$/;

/** Whether a text may point to a file at all: cheap, and never wrongly false. */
export function mayHoldLink(text: string): boolean {
  return mayHoldImage(text) || mayBePresigned(text);
}

function mayHoldImage(text: string): boolean {
  return text.includes('![') || (text.includes('<') && /<img/i.test(text));
}

/** In the order of the text. An image inside code is code; a presigned URL is one wherever it stands. */
export function linksInText(
  text: string,
  { isMarkdown }: { readonly isMarkdown: boolean },
): TextLink[] {
  const images = isMarkdown && mayHoldImage(text) ? imagesIn(withoutCode(text)) : [];
  const links = presignedUrlsIn(text).map(({ start, end, url }): Found => ({
    kind: 'PRESIGNED_LINK',
    name: null,
    url,
    start,
    urlStart: start,
    urlEnd: end,
  }));
  if (images.length === 0 && links.length === 0) return [];
  // the presigned URL of an image is one pointer, not two; one in the image's alternative text is another
  let image: Found | undefined;
  return [...images, ...links]
    .toSorted((a, b) => a.start - b.start)
    .flatMap((found) => {
      const { kind, name, url } = found;
      if (kind === 'MARKDOWN_IMAGE') image = found;
      else if (image && found.start >= image.urlStart && found.urlEnd <= image.urlEnd) return [];
      return [{ kind, name, url }];
    });
}

function imagesIn(text: string): Found[] {
  const found: Found[] = [];
  const add = (match: RegExpExecArray, name: string | undefined, target: string | undefined) => {
    const url = target === undefined ? '' : unescaped(target);
    // what stands in the text itself is content, not a pointer
    if (url === '' || /^data:/i.test(url)) return;
    const { 0: whole, index: start } = match;
    const at = whole.lastIndexOf(target ?? '');
    const urlStart = start + (at < 0 ? whole.length : at);
    const urlEnd = at < 0 ? urlStart : urlStart + (target ?? '').length;
    found.push({ kind: 'MARKDOWN_IMAGE', name: name || null, url, start, urlStart, urlEnd });
  };
  for (const match of text.matchAll(INLINE_IMAGE)) add(match, match[1], match[2] ?? match[3]);
  const targets = definitionsIn(text);
  if (targets.size > 0) {
    for (const match of text.matchAll(REFERENCE_IMAGE)) {
      add(match, match[1], targets.get(labelOf(match[2] || (match[1] ?? ''))));
    }
  }
  for (const match of text.matchAll(HTML_IMAGE)) {
    const target = match[1] ?? match[2] ?? match[3] ?? '';
    // Markdown that is not rendered as HTML shows any other as the text that it is
    if (isWebUrl(target) || target.startsWith('//')) add(match, undefined, target);
  }
  return found;
}

function definitionsIn(text: string): Map<string, string> {
  const targets = new Map<string, string>();
  for (const [, label = '', target = ''] of text.matchAll(DEFINITION)) {
    if (!targets.has(labelOf(label))) targets.set(labelOf(label), target);
  }
  return targets;
}

function labelOf(label: string): string {
  return label.trim().replace(/\s+/g, ' ').toLowerCase();
}

function unescaped(target: string): string {
  return target
    .trim()
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&amp;/gi, '&');
}

/** Blanks of the same length stand for code: a span closed by as many backticks as opened it. */
function withoutCode(text: string): string {
  const runs = [...text.matchAll(/``*/g)];
  const nextAlike = new Map<number, number>();
  const latest = new Map<number, number>();
  for (let at = runs.length - 1; at >= 0; at--) {
    const length = runs[at]?.[0].length ?? 0;
    const next = latest.get(length);
    if (next !== undefined) nextAlike.set(at, next);
    latest.set(length, at);
  }
  const pieces: string[] = [];
  let done = 0;
  for (let at = 0; at < runs.length; at++) {
    const [open, close] = [runs[at], runs[nextAlike.get(at) ?? -1]];
    if (!open || !close) continue;
    const span = text.slice(open.index, close.index + close[0].length);
    if (!isFence(text, open) && /\n[ \t]*\r?\n/.test(span)) continue;
    pieces.push(text.slice(done, open.index), ' '.repeat(span.length));
    done = open.index + span.length;
    at = nextAlike.get(at) ?? at;
  }
  return pieces.join('') + text.slice(done);
}

/** Three backticks or more at the beginning of a line: code over many lines, empty ones included. */
function isFence(text: string, { index, 0: run }: RegExpExecArray): boolean {
  return run.length >= 3 && FENCE_BEFORE.test(text.slice(Math.max(0, index - 100), index));
}
