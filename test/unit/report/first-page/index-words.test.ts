import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  filedWords,
  lookedUp,
  indexPartitionOf,
} from '../../../../src/report/first-page/index-words.js';
import { foldText } from '../../../../src/base/text/fold-text.js';
import { matchesWords } from '../../../../src/search/find-words.js';
import { parseWords } from '../../../../src/search/parse-words.js';

/** Whether the index takes a text for one that may have every word of a query, as the page looks them up. */
function isCandidate(text: string, query: string): boolean {
  const words = [...filedWords(foldText(text))];
  return parseWords(query).wanted.every((terms) =>
    terms.some((term) =>
      lookedUp(term).words.every(({ word, isStart }) =>
        words.some((one) => one === word || (isStart && one.startsWith(word))),
      ),
    ),
  );
}

function isExact(query: string): boolean {
  return parseWords(query)
    .wanted.flat()
    .every((term) => lookedUp(term).isExact);
}

it('the words of the full-text search finds words whatever their case, accents and width', () => {
  expect(isCandidate('Umsatz in Köln', 'koln UMSATZ')).toBe(true);
  expect(isCandidate('ＡＢＣ１２３', 'abc123')).toBe(true);
  expect(isCandidate('Ménage à trois', 'menage')).toBe(true);
});

it('the words finds words by how they begin, but not by what is inside them', () => {
  expect(isCandidate('subscriptions', 'subscr')).toBe(true);
  expect(isCandidate('subscriptions', 'scription')).toBe(false);
  expect(isCandidate('alpha', 'a')).toBe(true);
  expect(isCandidate('subscriptions', '"subscription"')).toBe(false);
});

it('the words of the full-text search finds any stretch of a text that has no spaces', () => {
  expect(isCandidate('按站点统计的能耗（MWh）变化', '能耗')).toBe(true);
  expect(isCandidate('按站点统计的能耗（MWh）变化', '耗')).toBe(true);
  expect(isCandidate('按站点统计的能耗（MWh）变化', '变化 mwh')).toBe(true);
  expect(isCandidate('按站点统计的能耗', '耗能')).toBe(false);
  expect(isCandidate('四半期の売上データを比較', '売上データ')).toBe(true);
  expect(isCandidate('ยอดขายรายเดือน', 'ขาย')).toBe(true);
  expect(isCandidate('كيف تطورت الإيرادات', 'ايرادات')).toBe(true);
});

it('the words of the full-text search finds numbers and names with marks between their parts', () => {
  expect(isCandidate('It was 1,234.56 in sales_2025.xlsx', '1,234.56 sales_2025')).toBe(true);
});

it('the words says when a text has to be read because its words alone prove nothing', () => {
  expect(isExact('net revenue "costs" 能耗 €')).toBe(true);
  for (const query of ['"net revenue"', 'sales_2025', '売上データ', 'x'.repeat(31)]) {
    expect(isExact(query), query).toBe(false);
  }
});

it('the words leaves out no text that has the words, and where it is exact takes no other', () => {
  const piece = fc.constantFrom('net', 'Netto', 'né', '能耗', '能', 'كيف', '😀', '-', '_', '2025', ' ', '\n'); // prettier-ignore
  const some = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(some, some, fc.boolean(), (text, query, isPhrase) => {
      const sought = isPhrase ? `"${query}"` : query;
      const words = { ...parseWords(sought), unwanted: [] };
      const isFound = matchesWords(words, [foldText(text)]);
      if (isFound) expect(isCandidate(text, sought)).toBe(true);
      if (isExact(sought)) expect(isCandidate(text, sought)).toBe(isFound);
    }),
  );
});

it('the words of the full-text search keeps all words that begin alike in one partition', () => {
  for (const [start, word] of [
    ['su', 'subscriptions'],
    ['能耗', '能耗'],
  ] as const) {
    expect(indexPartitionOf(word)).toBe(indexPartitionOf(start));
  }
});

it('the words of the full-text search has nothing to look up in marks and spaces', () => {
  expect(parseWords(' … !? -- ').wanted).toEqual([]);
  expect([...filedWords(' … !? -- ')]).toEqual([]);
});
