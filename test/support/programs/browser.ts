/// <reference lib="dom" />
/** A real browser for pages from disk, which notices everything that a report must never do. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { chromium as driver, type Browser, type BrowserContext, type Page } from 'playwright-core';

/** Nothing that the browser itself would say or ask over the network. */
const SWITCHES = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--no-first-run',
  '--disable-component-update',
  '--disable-sync',
];
/** What a page is watched for. */
const WATCHED = ['console', 'pageerror', 'dialog', 'popup', 'request', 'requestfailed'] as const;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** One for all test files of this process, which ends it. */
let launching: Promise<Browser> | undefined;

/**
 * A context of Chromium, which shares nothing with those of other files, with one page for all tests of a file: a page
 * of its own for each costs three times what it shows.
 */
export class ReportBrowser implements AsyncDisposable {
  readonly #context: BrowserContext;
  readonly #page: Page;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.#page = page;
  }

  static async start(executablePath: string | undefined): Promise<ReportBrowser> {
    const where = executablePath ? { executablePath } : {};
    launching ??= driver.launch({ ...where, args: SWITCHES });
    const context = await (await launching).newContext();
    const page = await context.newPage();
    page.setDefaultTimeout(20_000); // before the test's own: then it says what it waited for
    return new ReportBrowser(context, page);
  }

  get version(): string {
    return this.#context.browser()?.version() ?? '';
  }

  /** The page as in a browser that has just been started. */
  async cleanPage({ width, dark }: { width: number; dark: boolean }): Promise<Page> {
    const page = this.#page;
    for (const event of WATCHED) page.removeAllListeners(event);
    for (const other of page.context().pages()) if (other !== page) await other.close();
    if (page.url().startsWith('file:')) await page.evaluate(() => localStorage.clear());
    await page.goto('about:blank');
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ media: null, colorScheme: dark ? 'dark' : 'light' });
    return page;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#context.close();
  }
}

/** A page of a report, and what was wrong with it so far: no test passes while there is anything. */
export class ReportPage {
  readonly trouble: string[] = [];

  private constructor(
    readonly page: Page,
    readonly address: string,
  ) {
    page.on('console', (message) => this.trouble.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => this.trouble.push(`error: ${error.message}`));
    page.on('dialog', (dialog) => {
      this.trouble.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('popup', () => this.trouble.push('a window opened'));
    page.on('request', (request) => {
      const url = request.url();
      if (!url.startsWith('file://')) this.trouble.push(`request: ${url}`);
    });
    page.on('requestfailed', (request) => this.trouble.push(`not there: ${request.url()}`));
  }

  /**
   * In place of the report that the browser showed before.
   *
   * @param report the report's directory
   */
  static async open(
    browser: ReportBrowser,
    report: string,
    options: { readonly width?: number; readonly dark?: boolean; readonly hash?: string } = {},
  ): Promise<ReportPage> {
    const { width = 1280, dark = false, hash = '' } = options;
    const page = await browser.cleanPage({ width, dark });
    const opened = new ReportPage(page, pathToFileURL(`${report}/index.html`).href);
    await page.goto(opened.address + hash);
    await page.locator('#people table, #view h1').first().waitFor({ state: 'attached' });
    return opened;
  }

  /** Faults that keep somebody out, as axe finds them: each with the first element that has it. */
  async accessibilityFaults(): Promise<string[]> {
    if (!(await this.page.evaluate(() => 'axe' in window))) await this.page.evaluate(AXE);
    const { violations } = await this.page.evaluate(
      () =>
        // @ts-expect-error: the line before has put it there
        axe.run({ preload: false, resultTypes: ['violations'] }) as Promise<{
          violations: { impact: string; id: string; nodes: { html: string }[] }[];
        }>,
    );
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
  }
}
