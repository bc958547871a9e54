/** Tables and pictures as people get them, in every output: how they were sent, or that they are not. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../services/programs.js';
import { ReportBrowser, ReportPage } from '../support/programs/browser.js';
import { CliRig } from '../support/rigs/cli-rig.js';
import { PICTURES } from '../support/tables/tiny-image.js';

const HISTORIES = ['separators', 'encodings', 'title-lines', 'data-urls', 'bare-urls'];
const SESSIONS: Readonly<Record<string, string>> = {
  separators: '0e0f04ab378e-sess',
  encodings: '0e0f7f5ab539-sess',
  'title-lines': '0e0f1be3f423-sess',
  'data-urls': '0e0f574625d5-sess',
  'bare-urls': '0e0f19c29d11-sess',
  more: 'more',
};
/** Runs something, unless it is shown as an image. */
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="7"><script>document.title='ran'</script></svg>`;

let rig: CliRig;
let report: string;
let pack: string;

beforeAll(async () => {
  rig = await CliRig.start({ users: 0 });
  const folder = join(import.meta.dirname, '../support/histories');
  for (const name of HISTORIES) {
    rig.state.importJson(await readFile(join(folder, `${name}.json`), 'utf8'));
  }
  const file = (type: string, key: string) => ({
    type,
    content: { name: key, url: `{{url:${key}}}`, expires_at: '{{expires_at}}' },
    stage: 'Respond',
  });
  const blocks = [
    file('TABLE', 'unknown.csv'),
    file('TABLE', 'codes.csv'),
    file('IMAGE', 'drawn.svg'),
    file('IMAGE', 'chart.bmp'),
  ];
  rig.state.importJson(
    JSON.stringify({
      users: [
        {
          user_id: 'ada',
          sessions: [
            {
              id: 'more',
              name: 'More files',
              jobs: [
                {
                  job_id: 'job-more',
                  question: { blocks: [{ type: 'MESSAGE', content: 'More?' }] },
                  answer: { blocks },
                },
              ],
            },
          ],
        },
      ],
      files: {
        'unknown.csv': { base64: Buffer.from('miasto\nWroc\xb3aw\n', 'latin1').toString('base64') },
        'codes.csv': { text: 'code;share\n1e5;9,8 %\n0x10;12,5 %\n20;-1,5 %\n' },
        'drawn.svg': { text: SVG, media_type: 'image/svg+xml' },
        'chart.bmp': { base64: PICTURES['bmp']!.toString('base64'), media_type: 'image/bmp' },
      },
    }),
  );
  await rig.export();
  report = join(rig.directory, 'report');
  pack = join(rig.directory, 'pack/data');
  for (const words of [
    ['report', rig.out, '--out', report],
    ['evidence', rig.out, '--user', 'ada', '--out', join(rig.directory, 'pack')],
  ]) {
    const end = await rig.run(words);
    expect(end, end.stderr).toMatchObject({ exitCode: 0 });
  }
});
afterAll(() => rig[Symbol.asyncDispose]());

describe('the archive', () => {
  it('has how each table is read, and its widest row', async () => {
    const end = await rig.run([
      'query',
      rig.out,
      '--json',
      "SELECT name, encoding, separator, heading_line, column_count FROM current_artifacts WHERE kind = 'TABLE'",
    ]);
    const { rows } = JSON.parse(end.stdout) as { rows: readonly (readonly unknown[])[] };
    expect(rows.map((row) => Object.values(row))).toEqual(
      expect.arrayContaining([
        ['umsatz.csv', 'utf-8', ';', 1, 3],
        ['tab.csv', 'utf-8', '\t', 1, 2],
        ['pipe.csv', 'utf-8', '|', 1, 2],
        ['sep.csv', 'utf-8', ';', 2, 2],
        ['win1252.csv', 'windows-1252', ',', 1, 2],
        ['sjis.csv', 'shift_jis', ',', 1, 2],
        ['gbk.csv', 'gb18030', ',', 1, 2],
        ['utf16.csv', 'utf-16le', '\t', 1, 2],
        ['unknown.csv', 'unknown', ',', 1, 1],
        ['titled.csv', 'utf-8', ',', 3, 3],
        ['comment.csv', 'utf-8', ',', 2, 2],
        ['trailing.csv', 'utf-8', ',', 1, 3],
        ['umsatz-2026.csv', 'utf-8', ',', 1, 2],
      ]),
    );
  });

  it.each([
    ['1.234,50', 'Semikolon'],
    ['売上', 'Encodings'],
    ['München 12', 'Encodings'],
    ['"extra note"', 'Title line'],
    ['"Sales report"', 'Title line'],
    ['umsatz-2026.csv', 'Table as an address alone'],
    ['chart-may.png', 'Table as an address alone'],
  ])('is searched for %s', async (words, session) => {
    const end = await rig.run(['search', rig.out, words]);
    expect(end.stdout).toContain(session);
  });

  it('counts a table of unknown encoding as not searched', async () => {
    const end = await rig.run(['search', rig.out, 'More', '--json']);
    const found = JSON.parse(end.stdout) as { tables_not_searched: number };
    expect(found.tables_not_searched).toBe(1);
  });

  it('is printed without the bytes of pictures', async () => {
    const end = await rig.run(['show', rig.out, SESSIONS['data-urls'] ?? '']);
    expect(end.stdout).toContain('![Revenue chart](data:image/png;base64,…(');
    expect(end.stdout.length).toBeLessThan(3000);
  });
});

describe.skipIf(!chromium)('the page', () => {
  let browser: ReportBrowser;
  beforeAll(async () => {
    browser = await ReportBrowser.start(chromium);
  });
  afterAll(() => browser[Symbol.asyncDispose]());

  const opened = (name: string, directory = report) =>
    ReportPage.open(browser, directory, { hash: `#/user/ada/session/${SESSIONS[name] ?? ''}` });

  async function tables(name: string, directory?: string) {
    const { page } = await opened(name, directory);
    await page.locator('#view figure.table').first().waitFor();
    const all = await page.locator('#view figure.table').evaluateAll((figures) =>
      figures.map((figure) => ({
        name: figure.querySelector('strong')?.textContent ?? '',
        above: [...figure.querySelectorAll('.above')].map(({ textContent }) => textContent),
        rows: [...figure.querySelectorAll('.wide tr')].map((row) =>
          [...row.querySelectorAll('th, td')].map(({ textContent }) => textContent),
        ),
      })),
    );
    return new Map(all.map(({ name: key, ...table }) => [key, table]));
  }

  it('shows the cells of a table whatever separates them, and so does that of a pack', async () => {
    for (const directory of [report, pack]) {
      const found = await tables('separators', directory);
      expect(found.get('umsatz.csv')?.rows.slice(0, 2)).toEqual([
        ['Filiale', 'Umsatz', 'Anteil'],
        ['München', '1.234,50', '12,5'],
      ]);
      expect(found.get('tab.csv')?.rows[1]).toEqual(['north', '12']);
      expect(found.get('pipe.csv')?.rows[1]).toEqual(['north', '12']);
      expect(found.get('sep.csv')?.rows).toEqual([
        ['Filiale', 'Umsatz'],
        ['Bonn', '1,5'],
      ]);
    }
  });

  it('shows the letters of a table whatever its encoding', async () => {
    const found = await tables('encodings');
    expect(found.get('win1252.csv')?.rows[2]).toEqual(['Köln', '€ 9']);
    expect(found.get('sjis.csv')?.rows).toEqual([
      ['商品', '売上'],
      ['ネジ', '12'],
    ]);
    expect(found.get('utf16.csv')?.rows[1]).toEqual(['München', '12']);
  });

  it('says of a table that its encoding is unknown', async () => {
    const { page } = await opened('more');
    const figure = page.locator('#view figure.table').filter({ hasText: 'unknown.csv' });
    expect(await figure.locator('.note').first().textContent()).toContain(
      'The encoding of this file is unknown',
    );
  });

  it('shows titles above a table, and every cell of its widest row', async () => {
    const found = await tables('title-lines');
    expect(found.get('titled.csv')).toMatchObject({
      above: ['Sales report 2026'],
      rows: [['region', 'q1', 'q2'], expect.anything(), expect.anything()],
    });
    expect(found.get('comment.csv')?.above).toEqual(['# exported 2026-01-01']);
    expect(found.get('trailing.csv')?.rows).toEqual([
      ['a', 'b', '(no name)'],
      ['1', '2', ''],
      ['3', '4', 'extra note'],
    ]);
  });

  it.each([
    ['title-lines', 'sortme.csv', 'price', ['1,5', '2,125', '10,25']],
    ['title-lines', 'sortme.csv', 'when', ['3.12.2025', '11.1.2026', '1.2.2026']],
    ['more', 'codes.csv', 'share', ['-1,5 %', '9,8 %', '12,5 %']],
    ['more', 'codes.csv', 'code', ['0x10', '1e5', '20']],
  ])('sorts %s, %s, by %s', async (name, table, column, sorted) => {
    const { page } = await opened(name);
    const figure = page.locator('#view figure.table').filter({ hasText: table });
    await figure.getByRole('button', { name: column, exact: true }).click();
    const cells = figure.locator(`td[data-column="${column}"]`);
    expect(await cells.allTextContents()).toEqual(sorted);
  });

  it('shows pictures in texts as pictures, and no page of base64', async () => {
    const inPack = await opened('data-urls', pack);
    await inPack.page.locator('#view .prose img').first().waitFor();
    expect(inPack.trouble).toEqual([]);
    const { page, trouble } = await opened('data-urls');
    await page.locator('#view .prose img').first().waitFor();
    const images = page.locator('#view .prose img');
    expect(await images.evaluateAll((all) => all.map((one) => one.getAttribute('alt')))).toEqual([
      'Revenue chart',
      'Revenue chart',
    ]);
    const first = images.first();
    expect(await first.evaluate((one) => (one as HTMLImageElement).naturalWidth)).toBe(1);
    expect((await page.locator('#view').textContent())?.length).toBeLessThan(2000);
    expect(await page.locator('#view figure.image img').count()).toBe(2);
    expect(await page.locator('#view figure.table').count()).toBe(1);
    expect(trouble).toEqual([]);
  });

  it('shows what browsers show, and an SVG as an image that runs nothing', async () => {
    const { page, trouble } = await opened('more');
    await page.locator('#view figure.image').nth(1).waitFor();
    const images = page.locator('#view figure.image img');
    await page.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('#view figure.image img')].every(
        (one) => one.naturalWidth > 0,
      ),
    );
    expect(await images.count()).toBe(2);
    expect(await page.locator('#view figure.image a').count()).toBe(1);
    expect(await page.title()).not.toBe('ran');
    expect(trouble).toEqual([]);
  });

  it('names a file after the end of its address, and finds it by that', async () => {
    const { page } = await opened('bare-urls');
    await page.locator('#view figure.table strong').waitFor();
    expect(await page.locator('#view figure.table strong').textContent()).toBe('umsatz-2026.csv');
    for (const [words, question] of [
      ['umsatz-2026.csv', 'Table?'],
      ['1.234,50', 'Umsatz je Filiale'],
    ] as const) {
      await page.locator('#query').fill(words);
      await page.locator('.hits li', { hasText: question }).waitFor();
    }
  });
});
