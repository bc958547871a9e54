/** What a search takes for the same text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText, foldWithPlaces } from '../../../../src/base/text/fold-text.js';

/** Any letters; fast-check's own arbitrary for them takes seconds to prepare. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x3ff }), fc.integer({ min: 0, max: 0x10ffff })))
  .map((points) => String.fromCodePoint(...points).toWellFormed());

test.each([
  ['capitals and small letters', 'STRASSE ΟΔΟΣ', 'straße οδός'],
  ['accents, composed or not', 'Zürich café', 'ZU\u0308RICH cafe'],
  ['full and half width', 'ＡＢＣ　１２３ ｶﾞｽ', 'abc 123 ガス'],
  ['ligatures and signs of several characters', 'ﬁnance ㎏ …', 'finance kg'],
  ['a syllable and its pieces', '한국', '한국'.normalize('NFD')],
  ['Turkish dotted and dotless letters', 'İSTANBUL ısı', 'istanbul isi'],
  ['Arabic with vowels, a stretched line, and hamza', 'مُحَمَّد أحـــمد', 'محمد احمد'],
  [
    'invisible characters and any white space',
    'net\u00a0re\u00advenue\u200b\n\t2024',
    'net revenue 2024',
  ],
  ['a syllable in brackets that is one character', '\u320e', '(\uac00)'],
])('a folded text is the same for %s', (_what, one, other) => {
  expect(foldText(one)).toBe(foldText(other));
});

test('a folded text keeps vowel signs that are letters of their own', () => {
  expect(foldText('दिन')).not.toBe(foldText('दान'));
});

test('the beginning of a word has the letters of the whole word, a last sigma, too', () => {
  for (const beginning of ['ΟΔΟΣ', 'οδός', 'οδοσ']) {
    expect(foldText('ΟΔΟΣΑ')).toMatch(new RegExp(`^ ${foldText(beginning).trim()}`, 'u'));
  }
});

test('a folded text has a blank before and after each word, and nothing else between words', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const folded = foldText(text);
      expect(folded).toMatch(/^ (?:\S+ )*$/);
      expect(folded).toBe(folded.toLowerCase());
    }),
  );
});

test('a folded text is the same whatever stands between its words', () => {
  for (const between of [
    ' ',
    '\n\n',
    '\u00a0',
    ' – ',
    '-',
    ', ',
    '. ',
    ' … ',
    '|',
    ' ** ',
    '™ ',
    '① ',
    '】【',
  ]) {
    expect([between, foldText(`net${between}revenue`)]).toEqual([between, ' net revenue ']);
  }
});

test('a folded text of any length is that of its parts', () => {
  const long = 'Net revenue, '.repeat(20_000);
  expect(foldText(long)).toBe(` ${'net revenue '.repeat(20_000)}`);
  expect(foldText(`${'x'.repeat((1 << 16) - 2)} y`)).toBe(` ${'x'.repeat((1 << 16) - 2)} y `);
});

test('each character of a folded text has the place of the one that it was made of', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const { folded, starts, ends } = foldWithPlaces(text);
      expect(folded).toBe(foldText(text));
      expect([starts.length, ends.length]).toEqual([folded.length, folded.length]);
      for (let at = 1; at < starts.length; at++) {
        expect(starts[at]!).toBeGreaterThanOrEqual(starts[at - 1]!);
        expect(ends[at]!).toBeGreaterThanOrEqual(starts[at]!);
      }
    }),
  );
  const of = (text: string, word: string) => {
    const { folded, starts, ends } = foldWithPlaces(text);
    const at = folded.indexOf(word);
    return text.slice(starts[at], ends[at + word.length - 1]);
  };
  expect(of('Ein ZU\u0308RICH!', 'zurich')).toBe('ZU\u0308RICH');
  expect(of('x ﾊﾟﾊﾟ y', 'パパ')).toBe('ﾊﾟﾊﾟ');
  expect(of('caf e\u0301!', 'e')).toBe('e\u0301');
});
