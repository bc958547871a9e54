/** What is on hold, and of whom nothing proves that all is here: as the report shows it, on a screen and on paper. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { cli } from '../support/programs/cli-in-process.js';
import { ExportRig } from '../support/rigs/export-rig.js';

describe.skipIf(!chromium)('holds and doubt in a report', () => {
  let rig: ExportRig;
  let browser: ReportBrowser;
  let report: string;
  let held: string;
  let doubtful: string;
  let session: string;

  beforeAll(async () => {
    rig = await ExportRig.start({ users: 2, sessions: 2, jobs: 1 });
    [held = '', doubtful = ''] = rig.state.userIds();
    [session = ''] = rig.state.sessionIds(doubtful);
    await rig.export({ users: [held] });
    await rig.export({ users: [doubtful], sessions: [session] });
    const hold = async (...words: string[]): Promise<void> => {
      const { exitCode, stderr } = await cli(['hold', 'add', rig.out, ...words]);
      expect(exitCode, stderr).toBe(0);
    };
    await hold('--user', held, '--reason', '<b>Litigation</b> 14', '--by', 'قسم الشؤون');
    await hold('--session', session, '--reason', 'Over', '--by', 'legal');
    const over = ['hold', 'release', '--yes', rig.out, '--session', session, '--reason', 'done'];
    expect((await cli(over)).exitCode).toBe(0);
    await hold('--session', session, '--reason', 'Audit 2', '--by', 'legal');
    report = join(rig.directory, 'report');
    // the second user's list was never proven: only one session of it was asked for
    expect((await cli(['report', rig.out, '--out', report])).exitCode).toBe(3);
    browser = await ReportBrowser.start(chromium);
  });
  afterAll(async () => {
    await browser[Symbol.asyncDispose]();
    await rig[Symbol.asyncDispose]();
  });

  const open = (hash: string) => ReportPage.open(browser, report, { hash });
  const userPage = (user: string): string => `#/user/${encodeURIComponent(user)}`;

  it('marks them in the lists of the first page', async () => {
    const { page, trouble } = await open('');
    const lineOf = (user: string) => page.locator('#people tbody tr', { hasText: user });
    expect(await lineOf(held).locator('.mark').allInnerTexts()).toEqual(['on hold']);
    expect(await lineOf(doubtful).locator('.mark').allInnerTexts()).toEqual([
      'not proven complete',
    ]);
    // of the held user both, of the other the only one that is archived
    expect(await page.locator('#latest .mark').allInnerTexts()).toEqual(Array(3).fill('on hold'));
    const name = await lineOf(held).locator('td').first().innerText();
    expect(name).toBe(`${held} on hold`);
    expect(trouble).toEqual([]);
  });

  it("says on the user's page who holds since when and why, and nothing of sessions", async () => {
    const opened = await open(userPage(held));
    const { page } = opened;
    const notes = await page.locator('.holds li').allInnerTexts();
    expect(notes).toEqual([
      expect.stringMatching(
        /^The user is on hold since \d{4}-\d\d-\d\d \d\d:\d\d, asked by قسم الشؤون: <b>Litigation<\/b> 14$/,
      ),
    ]);
    expect(await opened.accessibilityFaults()).toEqual([]);
    await page.goto(opened.address + userPage(doubtful));
    await page.locator('h1', { hasText: doubtful }).waitFor();
    expect(await page.locator('.holds').count()).toBe(0);
  });

  it("says on a session's page what holds it, itself or its user, and forgets what was released", async () => {
    const opened = await open(`${userPage(doubtful)}/session/${session}`);
    const { page } = opened;
    await page.locator('.job').waitFor();
    expect(await page.locator('.head .mark').allInnerTexts()).toEqual(['on hold']);
    const notes = await page.locator('.holds li').allInnerTexts();
    expect(notes).toEqual([
      expect.stringMatching(/^The conversation is on hold since .*, asked by legal: Audit 2$/),
    ]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.holds li').isVisible()).toBe(true);
    const [other = ''] = rig.state.sessionIds(held);
    await page.goto(`${opened.address}${userPage(held)}/session/${other}`);
    await page.locator('.holds li', { hasText: 'The user is on hold' }).waitFor();
  });

  it('says in a whole sentence that a user has no conversation', async () => {
    const empty = join(rig.directory, 'empty-report');
    rig.state.importJson(JSON.stringify({ users: [{ user_id: 'nobody.yet', sessions: [] }] }));
    await rig.export({ users: ['nobody.yet'] });
    const words = ['report', rig.out, '--user', 'nobody.yet', '--out', empty];
    expect((await cli(words)).exitCode).toBe(0);
    const { page } = await ReportPage.open(browser, empty);
    expect(await page.locator('#latest p').allInnerTexts()).toEqual(['No conversation.']);
    expect(await page.locator('#part').innerText()).toBe(
      'A part of the archive: only user nobody.yet',
    );
  });

  it('says of whom it is not proven that everything is archived, and of nobody else', async () => {
    const { page, address } = await open(userPage(doubtful));
    expect(await page.locator('#view').innerText()).toMatch(
      /1 question not proven complete\n\nAll users here: Not proven complete: /,
    );
    await page.goto(address + userPage(held));
    await page.locator('h1', { hasText: held }).waitFor();
    expect(await page.locator('#view').innerText()).not.toContain('proven');
    await page.goto(`${address}#/gaps`);
    await page.locator('h1', { hasText: '0 gaps' }).waitFor();
    expect(await page.locator('#view').innerText()).toContain(
      'No gap is known. Not proven complete: 1 user is not proven complete.',
    );
  });
});
