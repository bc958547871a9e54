import { expect, it } from 'vitest';
import { markdownHtml } from '../../../../src/report/page/markdown.js';
import { plainAnswer } from '../../../../src/workbook/plain-markdown.js';

/** As a page shows it, without what tells the direction. */
const shown = (...lines: string[]): string =>
  markdownHtml(lines.join('\n'))
    .replaceAll(/ dir="\w+"/g, '')
    .trim();

const formula = (text: string): string => `<span class="formula">${text}</span>`;

it.each([
  '\\(x_1 * y_2 + x_2 * y_1\\)',
  '\\[E = mc^2\\,\\]',
  '$a_1*b_2*c$',
  '$\\$5 * n$',
  '$2x + 1 = 3$',
  '$$\\{x\\}$$',
])('the formula %s stands in a text as it was sent', (sent) => {
  expect(shown(`Then **a** ${sent} **b**`)).toBe(
    `<p>Then <strong>a</strong> ${formula(sent)} <strong>b</strong></p>`,
  );
  expect(plainAnswer(`Then **a** ${sent} **b**`).text).toBe(`Then a ${sent} b`);
});

it('a formula beside Han is one, and so is one in a list and one in a cell, with its pipes', () => {
  expect(shown('由于$x_1$是**正数**')).toBe(
    `<p>由于${formula('$x_1$')}是<strong>正数</strong></p>`,
  );
  expect(shown('- $a*b*c$')).toContain(`<li>${formula('$a*b*c$')}</li>`);
  const html = shown('| p | n |', '|---|---|', '| $P(A|B)$ | `a|b` |');
  expect(html).toContain(`<td>${formula('$P(A|B)$')}</td>`);
  expect(html).toContain('<td><code>a|b</code></td>');
});

it('lines of a formula are no list, no rule and no heading, wherever the formula stands', () => {
  const lines = ['$$', 'a', '=', '- b', '# c', '', '1. d', '$$'];
  expect(shown(...lines)).toBe(`<p class="formula">${lines.join('\n')}</p>`);
  const inList = shown('- item', '', '  \\[', '  a', '  =', '  \\]');
  expect(inList).toContain('<p class="formula">\\[\na\n=\n\\]</p>');
  expect(shown('> $$', '> a', '> $$')).toContain('<p class="formula">$$\na\n$$</p>');
});

it.each([
  '$5 and $10',
  'US$ 5, A$6 or US$',
  'from $5-$10',
  'costs $ 5 $',
  'open \\( and \\[ and $$ and $x',
])('%s has no formula', (text) => {
  expect(shown(text)).toBe(`<p>${text}</p>`);
});

it('prices and tickers keep what is bold', () => {
  expect(shown('**$5** and **$10** US$; **$AAPL** and **$MSFT**')).toBe(
    '<p><strong>$5</strong> and <strong>$10</strong> US$; <strong>$AAPL</strong> and <strong>$MSFT</strong></p>',
  );
});

it.each([
  '5! = 5*4*3*2*1',
  'price*qty*1.19',
  'x**2 + y**2',
  '(a*b)*(c*d)',
  'count(*) and avg(*)',
  '数量*单价*折扣',
  'snake_case_name and __init__',
  'C:\\new\\_folder\\*.csv and \\d+\\.\\d*',
  '\\\\server\\share',
  'set \\{x_1, x_2\\}',
  'about ~20 %',
  '[1]: no definition',
  '=',
])('%s keeps every sign, on the page and in a workbook', (text) => {
  expect(shown(text)).toBe(`<p>${text}</p>`);
  expect(plainAnswer(text).text).toBe(text);
});

it.each([
  ['**"重要"**です', '<strong>&quot;重要&quot;</strong>です'],
  ['这是**加粗。**后面', '这是<strong>加粗。</strong>后面'],
  ['これは**「強調」**だ', 'これは<strong>「強調」</strong>だ'],
  ['**중요(重要)**한', '<strong>중요(重要)</strong>한'],
  ['売上高**100**万', '売上高<strong>100</strong>万'],
  ['*強調*です', '<em>強調</em>です'],
  ['**Umsatz**zahlen', '<strong>Umsatz</strong>zahlen'],
])('%s is bold or emphasised where the stars say', (text, html) => {
  expect(shown(text)).toBe(`<p>${html}</p>`);
});

it('a backslash before a mark makes it a sign, and before anything else it is one itself', () => {
  expect(shown('\\*a\\* \\_b\\_ snake\\_case 1\\. \\$5 \\# R\\&D')).toBe(
    '<p>*a* _b_ snake_case 1. $5 # R&amp;D</p>',
  );
  expect(shown('a\\, b \\; c \\x')).toBe('<p>a\\, b \\; c \\x</p>');
  expect(shown('a\\', 'b')).toBe('<p>a<br>\nb</p>');
});

it('a line below a text makes no heading of it, and a definition of a link stays to be read', () => {
  expect(shown('Total', '---')).toBe('<p>Total</p>\n<hr>');
  expect(shown('A', '===')).toBe('<p>A<br>\n===</p>');
  expect(shown('[1]: https://a.example/x')).toContain('[1]: <a href="https://a.example/x"');
});

it('of HTML, line breaks and subscripts are read; everything else is text', () => {
  expect(shown('a<br>b<br/>c<BR />d')).toBe('<p>a<br>\nb<br>\nc<br>\nd</p>');
  expect(shown('H<sub>2</sub>O, m<sup>2</sup>, <kbd>x</kbd>, <sub>')).toBe(
    '<p>H<sub>2</sub>O, m<sup>2</sup>, &lt;kbd&gt;x&lt;/kbd&gt;, &lt;sub&gt;</p>',
  );
});

it('the items of a list have the numbers that were sent', () => {
  expect(shown('7. seven', '8. eight', '12. twelve')).toContain('<li value="12">twelve</li>');
  const text = '7. seven\n8. eight\n12. twelve\n\n1) a\n2) b';
  expect(plainAnswer(text).text).toBe(text);
});

it('a row with more cells than its table has columns shows the rest in its last cell', () => {
  const html = shown('| a | b |', '|---|---|', '| 1 | 2 | 3 | 4 |', '| x \\| y | z |');
  expect(html).toContain('<td>2 | 3 | 4</td>');
  expect(html).toContain('<td>x | y</td>');
});

it('Markdown keeps struck text as sent, tags of subscripts, and line breaks in cells', () => {
  expect(plainAnswer('~~12 EUR~~ 15 EUR, CO<sub>2</sub>').text).toBe(
    '~~12 EUR~~ 15 EUR, CO<sub>2</sub>',
  );
  expect(plainAnswer('| a |\n|---|\n| - x<br>- y |').tables).toEqual([[['a'], ['- x\n- y']]]);
});

it('every paragraph has a direction of its own, lists and tables that of their first letter', () => {
  const html = markdownHtml(
    'שלום\n\n- דוד\n- David\n\n| عمود |\n|---|\n| 12 |\n\n> اقتباس\n\n`x = 1`\n\n```\ncode\n```',
  );
  for (const part of [
    '<p dir="auto">שלום</p>',
    '<ul dir="rtl">\n<li dir="rtl">דוד</li>\n<li dir="ltr">David</li>',
    '<div class="wide" dir="rtl"',
    '<th dir="auto">',
    '<blockquote dir="rtl">',
    '<code dir="ltr">x = 1</code>',
    '<pre tabindex="0" dir="ltr">',
  ]) {
    expect(html).toContain(part);
  }
});

it('Markdown is read in time in proportion to its length, whatever its marks', () => {
  const rows = `|a|b|\n|-|-|\n${'|`a$x|b|c\n'.repeat(2_000)}`;
  const pieces = ['$', '$a ', '\\(', '\\[\n', '$$\n', '\\a', 'a\\_', '__a', '<sub>', 'a*b'];
  for (const text of [rows, ...pieces.map((piece) => piece.repeat(20_000 / piece.length))]) {
    expect(markdownHtml(text).length).toBeLessThan(2_000_000);
  }
});
