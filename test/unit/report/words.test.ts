import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partitionOf, queryWords, wordsOf } from '../../../src/report/words.js';

/** Whether a text is found by a query, as the page decides it. */
function isFound(text: string, query: string): boolean {
  const words = [...wordsOf(text)];
  return queryWords(query).every(({ word, isStart }) =>
    words.some((one) => one === word || (isStart && one.startsWith(word))),
  );
}

describe('the words of the full-text search', () => {
  it('finds words whatever their case, accents and width', () => {
    expect(isFound('Umsatz in Köln', 'koln UMSATZ')).toBe(true);
    expect(isFound('ＡＢＣ１２３', 'abc123')).toBe(true);
    expect(isFound('Ménage à trois', 'menage')).toBe(true);
  });

  it('finds words by how they begin, but not by what is inside them', () => {
    expect(isFound('subscriptions', 'subscr')).toBe(true);
    expect(isFound('subscriptions', 'scription')).toBe(false);
    expect(isFound('alpha', 'a')).toBe(false);
  });

  it('finds any stretch of a text that has no spaces', () => {
    expect(isFound('按站点统计的能耗（MWh）变化', '能耗')).toBe(true);
    expect(isFound('按站点统计的能耗（MWh）变化', '耗')).toBe(true);
    expect(isFound('按站点统计的能耗（MWh）变化', '变化 mwh')).toBe(true);
    expect(isFound('按站点统计的能耗', '耗能')).toBe(false);
    expect(isFound('四半期の売上データを比較', '売上データ')).toBe(true);
    expect(isFound('ยอดขายรายเดือน', 'ขาย')).toBe(true);
  });

  it('finds numbers and names with marks between their parts', () => {
    expect(isFound('It was 1,234.56 in sales_2025.xlsx', '1,234.56 sales_2025')).toBe(true);
  });

  it('finds every text by each of its own words', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        for (const word of wordsOf(text)) expect(isFound(text, word)).toBe(true);
      }),
    );
  });

  it('keeps all words that begin alike in one partition', () => {
    for (const [start, word] of [
      ['su', 'subscriptions'],
      ['能耗', '能耗'],
    ] as const) {
      expect(partitionOf(word)).toBe(partitionOf(start));
    }
  });

  it('has nothing to look up in marks and spaces', () => {
    expect(queryWords(' … !? -- ')).toEqual([]);
  });
});
