/** Code as HTML with the classes of highlight.js; a language that it does not know stays plain. */
import hljs from 'highlight.js/lib/common';
import { escapeHtml } from '../base/text/short-texts.js';

/** Longer code stays plain, so that one block cannot hold everything up. */
const MAX_CHARACTERS = 50_000;
const KEPT = 1000;

const known = new Map<string, string>();

/** @param language as a fence names it; never guessed */
export function highlightedCode(code: string, language: string): string {
  if (code.length > MAX_CHARACTERS || !hljs.getLanguage(language)) return escapeHtml(code);
  const key = `${language}\n${code}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const html = hljs.highlight(code, { language, ignoreIllegals: true }).value;
  if (known.size >= KEPT) known.clear();
  known.set(key, html);
  return html;
}
