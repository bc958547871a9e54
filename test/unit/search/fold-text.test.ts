/** What a search takes for the same text. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldedText } from '../../../src/search/parse-words.js';

/** Any letters; fast-check's own arbitrary for them takes seconds to prepare. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0x3ff }), fc.integer({ min: 0, max: 0x10ffff })))
  .map((points) => String.fromCodePoint(...points).toWellFormed());

test.each([
  ['capitals and small letters', 'STRASSE ΟΔΟΣ', 'straße οδός'],
  ['accents, composed or not', 'Zürich café', 'ZU\u0308RICH cafe'],
  ['full and half width', 'ＡＢＣ　１２３ ｶﾞｽ', 'abc 123 ガス'],
  ['ligatures and signs of several characters', 'ﬁnance ㎏ …', 'finance kg ...'],
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
  expect(foldedText(one)).toBe(foldedText(other));
});

test('a folded text keeps vowel signs that are letters of their own', () => {
  expect(foldedText('दिन')).not.toBe(foldedText('दान'));
});

test('a folded text has the letters of the beginning of a word as the whole word has them, a last sigma, too', () => {
  for (const beginning of ['ΟΔΟΣ', 'οδός', 'οδοσ']) {
    expect(foldedText('ΟΔΟΣΑ')).toMatch(new RegExp(`^${foldedText(beginning)}`, 'u'));
  }
});

test('a folded text is folded already', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      expect(foldedText(foldedText(text))).toBe(foldedText(text));
    }),
  );
});
