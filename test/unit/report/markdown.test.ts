import { describe, expect, it } from 'vitest';
import { codeBlockHtml, markdownHtml } from '../../../src/report/page/markdown.js';

describe('Markdown from the service', () => {
  it('becomes HTML: headings below those of the page, tables with aligned columns', () => {
    expect(markdownHtml('# Result')).toBe('<h3 dir="auto">Result</h3>\n');
    const html = markdownHtml('| a | b |\n|---|---:|\n| 1 | 2 |');
    expect(html).toContain('<td class="to-right short" dir="auto">2</td>');
    expect(html).not.toContain('style=');
  });

  it('keeps numbers and dates in one line, however narrow the column', () => {
    const html = markdownHtml(
      '| a | b | c |\n|---|---|---|\n| 2025-01 | 12,5 % of all | year-end |',
    );
    expect(html).toContain('<td class="short" dir="auto">2025-01</td>');
    expect(html).toContain('<td dir="auto">12,5 % of all</td>');
    expect(html).toContain('<td dir="auto">year-end</td>');
  });

  it('cannot bring tags of its own', () => {
    expect(markdownHtml('<script>alert(1)</script>')).toBe(
      '<p dir="auto">&lt;script&gt;alert(1)&lt;/script&gt;</p>\n',
    );
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'vbscript:x',
    '//host/x',
  ])('makes no link of %s', (address) => {
    expect(markdownHtml(`[text](${address})`)).not.toContain('<a');
    expect(markdownHtml(`![text](${address})`)).not.toContain('<a');
  });

  it('links to the web and to mail, into a window that knows nothing of this one', () => {
    expect(markdownHtml('[text](https://example.com/a?b=1&c=2)')).toBe(
      '<p dir="auto"><a href="https://example.com/a?b=1&amp;c=2" rel="noopener noreferrer nofollow" target="_blank">text</a></p>\n',
    );
    expect(markdownHtml('[text](mailto:a@example.com)')).toContain('href="mailto:a@example.com"');
  });

  it('fetches no picture: its text links to it', () => {
    const html = markdownHtml('![a chart](https://example.com/a.png)');
    expect(html).not.toContain('<img');
    expect(html).toContain('>a chart</a>');
  });

  it('colours code in a language that it knows and guesses none', () => {
    expect(markdownHtml('```sql\nSELECT 1\n```')).toContain(
      '<span class="hljs-keyword">SELECT</span>',
    );
    expect(markdownHtml('```\nSELECT 1\n```')).not.toContain('<span');
    expect(markdownHtml('```nolang\n<b>\n```')).toContain('&lt;b&gt;');
  });

  it('takes code without a fence as it is', () => {
    expect(codeBlockHtml('a < b', '')).toBe(
      '<pre tabindex="0" dir="ltr"><code class="hljs">a &lt; b</code></pre>\n',
    );
  });
});
