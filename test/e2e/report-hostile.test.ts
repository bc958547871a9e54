import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { HOSTILE_SESSION, HOSTILE_USER, hostileHistory } from '../support/http/hostile-history.js';

describe.skipIf(!chromium)('a report of a hostile history', () => {
  let rig: CliRig;
  let browser: ReportBrowser;
  let report: string;

  beforeAll(async () => {
    rig = await CliRig.start({ users: 0 });
    rig.state.importJson(hostileHistory());
    // the pictures of its Markdown stand at hosts that there are not: gaps, each named
    await rig.export({ exitCode: 3 });
    report = join(rig.directory, 'report');
    const end = await rig.run([
      'report',
      rig.out,
      '--out',
      report,
      '--title',
      '<script>t</script>',
    ]);
    expect(end, end.stderr).toMatchObject({ exitCode: 3, stderr: '' });
    browser = await ReportBrowser.start(chromium);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await rig[Symbol.asyncDispose]();
  });

  it('shows all of it as text: nothing runs, nothing is fetched, nothing complains', async () => {
    const { page, trouble } = await ReportPage.open(browser, report);
    expect(await page.locator('h1').first().textContent()).toBe('<script>t</script>');
    await page.locator('#people').getByRole('link', { name: HOSTILE_USER }).click();
    await page.locator('#view table a').click();
    await page.locator('.job').nth(1).waitFor();
    const closed = page.locator('details:not([open]) > summary:visible');
    while ((await closed.count()) > 0) await closed.first().click();
    const text = await page.locator('.conversation').innerText();
    for (const told of ['<script>alert(1)</script>', 'onerror="alert(2)"', '<iframe', '<base']) {
      expect(text).toContain(told);
    }
    for (const image of await page.locator('.conversation img').all()) {
      await image.scrollIntoViewIfNeeded();
    }
    const gate = await page.evaluate(() => {
      const all = [...document.querySelectorAll('*')];
      return {
        handlers: all.flatMap((one) => one.getAttributeNames().filter((name) => /^on/.test(name))),
        // what a picture element shows cannot run anything
        addresses: [...document.querySelectorAll('[href],[src]:not(img[src^="data:image/"])')]
          .flatMap((one) => [one.getAttribute('href') ?? '', one.getAttribute('src') ?? ''])
          .filter((one) => /^\s*(?!https?:|mailto:)[a-z-]+:/i.test(one)),
        strangers: all
          .map((one) => one.tagName)
          .filter((tag) => /^(?:IFRAME|OBJECT|EMBED|STYLE|BASE|FORM|META|svg)$/.test(tag)).length,
        scripts: document.scripts.length,
      };
    });
    expect(gate).toMatchObject({ handlers: [], addresses: [], scripts: 1 });
    expect(trouble).toEqual([]);
  });

  it('finds words that are names of parts of objects', async () => {
    const { page, trouble } = await ReportPage.open(browser, report, {
      hash: '#/search/__proto__%20constructor',
    });
    await page.locator('.hits li').first().waitFor();
    expect(await page.locator('h1:visible').textContent()).toMatch(/^1 question with/);
    expect(trouble).toEqual([]);
  });

  it('takes hostile addresses for what they are', async () => {
    const hash = `#/user/${encodeURIComponent(HOSTILE_USER)}/session/${encodeURIComponent(HOSTILE_SESSION)}/job/__proto__`;
    const { page, trouble } = await ReportPage.open(browser, report, { hash });
    await page.locator('.job:focus').waitFor();
    await page.goto(`${pathToFileURL(report).href}/index.html#/user/<img src=x onerror=alert(9)>`);
    await page.getByText('There is no user <img src=x onerror=alert(9)>').waitFor();
    expect(trouble).toEqual([]);
  });

  it('does not run what gets past it: the policy stops inline scripts, handlers and foreign ones', async () => {
    const { page, trouble } = await ReportPage.open(browser, report);
    const ran = await page.evaluate(async () => {
      const holder = document.createElement('div');
      holder.innerHTML = '<img src="data/none.png" onerror="window.ran = 1">';
      const inline = document.createElement('script');
      inline.textContent = 'window.ran = 2';
      const foreign = document.createElement('script');
      foreign.src = 'data:text/javascript,window.ran=3';
      const ended = new Promise((resolve) => foreign.addEventListener('error', resolve));
      document.body.append(holder, inline, foreign);
      await ended;
      return (window as unknown as { ran?: number }).ran;
    });
    expect(ran).toBeUndefined();
    expect(trouble.filter((one) => one.includes('Content Security Policy'))).toHaveLength(3);
  });

  it('gives no file an ending that a browser would run, and no data file an end of a script', async () => {
    const paths = await readdir(report, { recursive: true });
    expect(paths.some((path) => path.endsWith('.svg.txt'))).toBe(true);
    expect(paths.filter((path) => /\.(?:svg|html?|xml|xhtml)$/.test(path))).toEqual(['index.html']);
    for (const path of paths.filter((one) => /^data\/[a-z]\/.*\.js$|^data\/\w+\.js$/.test(one))) {
      if (path === 'data/page.js') continue;
      const text = await readFile(join(report, path), 'utf8');
      expect(text, path).not.toMatch(/[<>\u2028\u2029]/u);
    }
  });
});
