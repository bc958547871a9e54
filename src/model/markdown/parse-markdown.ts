/** The Markdown of assistants, read in one way for the page and the workbook: nothing of what was sent vanishes. */
import newMarkdownIt, { type MarkdownIt } from 'markdown-it';
import { readFormulas } from './formulas.js';
import { readMarks } from './marks.js';
import { readWholeRows } from './whole-rows.js';

/** A parser with the rules of this folder. HTML stays text, but for line breaks and subscripts. */
export function markdownParser(): MarkdownIt {
  const markdown = newMarkdownIt({ html: false });
  readFormulas(markdown);
  readMarks(markdown);
  readWholeRows(markdown);
  return markdown;
}
