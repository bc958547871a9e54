import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { ROOT } from '../support/base/repository-files.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { CliRig } from '../support/rigs/cli-rig.js';

/** Attributes of every kind that run, load, frame, steal a name or cover the page. */
const HOSTILE = [
  '<p onclick="run(1)" onmouseover="run(2)" style="position:fixed;inset:0" id="view" title="t">one</p>',
  '<a href="javascript:run(3)" target="_top" ping="http://example.invalid/p" download>two</a>',
  '<a href=" javascript:run(4)" rel="opener">three</a> <a href="data:text/html,x">four</a>',
  '<a href="https://example.com/ok" rel="noopener noreferrer nofollow" target="_blank">five</a>',
  '<div class="hljs" data-x="1" slot="s" is="x-y" contenteditable tabindex="5">six</div>',
  '<span class="page-menu theme" dir="rtl" hidden accesskey="k" autofocus onfocus="run(5)">seven</span>',
  '<td background="http://example.invalid/b.png" colspan="9">eight</td>',
  '<ol start="99999999999999999999" reversed><li value="3">nine</li></ol>',
  '<p class="to-right short">right</p><p class="short">short</p><p class="short to-right page-menu">both</p>',
  '<pre tabindex="0"><code class="hljs"><span class="hljs-keyword" onclick="run(6)">ten</span></code></pre>',
  '<svg onload="run(7)"><a xlink:href="javascript:run(8)">eleven</a></svg><math><mi href="javascript:run(9)">x</mi></math>',
].join('\n');

/** The page's second look at HTML, as a script. */
async function safeHtmlScript(): Promise<string> {
  const bundle = await rolldown({ input: join(ROOT, 'src/report/page/safe-html.ts') });
  const { output } = await bundle.generate({ format: 'iife', name: 'looked' });
  await bundle.close();
  return `${output[0].code}; looked.safeHtml`;
}

describe.skipIf(!chromium)('raw hostile HTML, which no Markdown of ours would become', () => {
  let rig: CliRig;
  let browser: ReportBrowser;
  let directory: string;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 0 });
    const block = { type: 'MESSAGE', content: 'Nothing but words', stage: 'Respond' };
    const job = {
      job_id: 'job-1',
      question: { blocks: [{ type: 'MESSAGE', content: 'Why?' }] },
      answer: { blocks: [block] },
    };
    const session = { id: 'session-1', name: 'One', jobs: [job] };
    rig.state.importJson(JSON.stringify({ users: [{ user_id: 'ada', sessions: [session] }] }));
    await rig.export();
    directory = join(rig.directory, 'report');
    const end = await rig.run(['report', rig.out, '--out', directory]);
    expect(end, end.stderr).toMatchObject({ exitCode: 0 });
    browser = await ReportBrowser.start(chromium);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await rig[Symbol.asyncDispose]();
  });

  /** Puts it where the report shows an answer, as the page does. */
  async function shown(html: string): Promise<ReportPage> {
    const hash = '#/user/ada/session/session-1';
    const report = await ReportPage.open(browser, directory, { hash });
    await report.page.locator('.prose').waitFor({ state: 'attached' });
    const script = await safeHtmlScript();
    await report.page.evaluate(
      ([code, raw]) => {
        const safeHtml = (0, eval)(code) as (html: string) => DocumentFragment;
        document.querySelector('.prose')?.replaceChildren(safeHtml(raw));
      },
      [script, html] as const,
    );
    return report;
  }

  it('loses every attribute that is not on the list, and keeps what is', async () => {
    const { page, trouble } = await shown(HOSTILE);
    const found = await page
      .locator('.prose')
      .evaluate((prose) =>
        [...prose.querySelectorAll('*')].flatMap((element) =>
          [...element.attributes].map(({ name, value }) => `${element.localName} ${name}=${value}`),
        ),
      );
    expect(found.sort()).toEqual([
      'a href=https://example.com/ok',
      'a rel=noopener noreferrer nofollow',
      'a target=_blank',
      'code class=hljs',
      'div class=hljs',
      'li value=3',
      'p class=short',
      'p class=to-right short',
      'pre tabindex=0',
      'span class=hljs-keyword',
      'span dir=rtl',
    ]);
    expect(await page.locator('.prose').innerText()).toContain('eleven'); // its words stay
    // where it is parsed, before it is cleaned, the policy stops what would run
    expect(trouble.filter((one) => !one.includes('Content Security Policy'))).toEqual([]);
  });

  it('becomes text where an element is not on the list', async () => {
    const { page } = await shown(HOSTILE);
    const names = await page
      .locator('.prose')
      .evaluate((prose) => [...prose.querySelectorAll('*')].map(({ localName }) => localName));
    expect(names).not.toContain('svg');
    expect(names).not.toContain('math');
    expect(names).toContain('p');
  });

  it('is cleaned in no time, whatever a class repeats', async () => {
    const { page } = await shown(`<p class="${'hljs'.repeat(500)}!">seven</p>`);
    // the pattern that was there would not have ended within a lifetime
    expect(await page.locator('.prose p').getAttribute('class')).toBeNull();
  });
});
