import { describe, expect, it } from 'vitest';
import {
  charsetIn,
  decodeText,
  textEncodingOf,
} from '../../../../src/artifacts/content/text-encoding.js';

const hex = (bytes: string): Buffer => Buffer.from(bytes, 'hex');
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');

function read(bytes: Uint8Array, charset: string | null = null): string {
  const encoding = textEncodingOf(bytes, { charset, isWhole: true });
  return encoding === null ? 'binary' : `${encoding}: ${decodeText(bytes, encoding)}`;
}

/** 店舗,売上 / 渋谷,12 */
const SHIFT_JIS = hex('9358 95dc 2c 9484 8fe3 0a 8f61 924a 2c 3132 0a'.replaceAll(' ', ''));
/** 城市,销售 / 北京,12 */
const GBK = hex('b3c7cad02ccffacadb0ab1b1bea92c31320a');
/** 매출,도시 */
const EUC_KR = hex('b8c5c3e22cb5b5bdc3');

describe('the encoding of a text is', () => {
  it.each<readonly [string, Uint8Array, string | null, string]>([
    ['UTF-8 where the bytes are', Buffer.from('Köln,1'), null, 'utf-8: Köln,1'],
    ['UTF-8 with a mark', Buffer.from('\ufeffKöln'), null, 'utf-8: Köln'],
    ['UTF-16 with a mark', utf16('\ufeffKöln,1'), null, 'utf-16le: Köln,1'],
    ['UTF-16 without a mark', utf16('Köln,1\n'), null, 'utf-16le: Köln,1\n'],
    [
      'UTF-16 whose first letters are no Latin ones',
      utf16('日本,売上\n一,2\n'),
      null,
      'utf-16le: 日本,売上\n一,2\n',
    ],
    ['UTF-16 with the big end first', utf16('日本,売上\n').swap16(), null, 'utf-16be: 日本,売上\n'],
    [
      'the charset that the answer names',
      SHIFT_JIS,
      'Shift_JIS',
      'shift_jis: 店舗,売上\n渋谷,12\n',
    ],
    ['the charset of Chinese', GBK, 'gbk', 'gbk: 城市,销售\n北京,12\n'],
    ['the charset of Korean', EUC_KR, 'euc-kr', 'euc-kr: 매출,도시'],
    ['the charset of Cyrillic', hex('cceef1eae2e0'), 'windows-1251', 'windows-1251: Москва'],
    ['no charset that the bytes are not of', Buffer.from('売上,1'), 'shift_jis', 'utf-8: 売上,1'],
    [
      'UTF-8 where a server adds Latin-1 to everything',
      Buffer.from('Köln'),
      'iso-8859-1',
      'utf-8: Köln',
    ],
    ['no charset that nobody knows', Buffer.from('Köln'), 'x-none', 'utf-8: Köln'],
    [
      'Windows-1252 with a charset',
      latin1('K\xf6ln, \x80 9'),
      'windows-1252',
      'windows-1252: Köln, € 9',
    ],
    [
      'Windows-1252 of German',
      latin1('Stadt;M\xfcnchen;K\xd6LN'),
      null,
      'windows-1252: Stadt;München;KÖLN',
    ],
    [
      'Windows-1252 of French',
      latin1('d\x92achat,\xe9t\xe9,\xab\xa0No\xebl\xa0\xbb'),
      null,
      'windows-1252: d’achat,été,«\u00a0Noël\u00a0»',
    ],
    ['Windows-1252 of a name alone', latin1('name\nCaf\xe9'), null, 'windows-1252: name\nCafé'],
    ['Shift_JIS of kanji', SHIFT_JIS, null, 'shift_jis: 店舗,売上\n渋谷,12\n'],
    ['Shift_JIS of hiragana', hex('82d082e782aa82c82c310a'), null, 'shift_jis: ひらがな,1\n'],
    ['GB18030 of Chinese', GBK, null, 'gb18030: 城市,销售\n北京,12\n'],
  ])('%s', (_what, bytes, charset, expected) => {
    expect(read(bytes, charset)).toBe(expected);
  });

  it.each<readonly [string, Uint8Array]>([
    ['a word that Korean and Chinese have the bytes of', EUC_KR],
    ['two bytes that many encodings know', hex('c4d02c310a')],
    ['Polish in Windows-1250', latin1('miasto\nWroc\xb3aw\n')],
    ['Cyrillic without a charset', hex('cceef1eae2e0 2c 31'.replaceAll(' ', ''))],
    ['Big5', hex('a578a55f2ca5abb3f50a')],
    ['a letter of UTF-8 among others', Buffer.concat([Buffer.from('Köln'), latin1(' K\xf6ln')])],
  ])('unknown of %s', (_what, bytes) => {
    expect(textEncodingOf(bytes, { isWhole: true })).toBe('unknown');
  });

  it('that of Korean where there is enough of it', () => {
    const words = Buffer.concat(
      Array.from({ length: 5 }, () => Buffer.concat([EUC_KR, latin1('\n')])),
    );
    expect(textEncodingOf(words, { isWhole: true })).toBe('euc-kr');
  });

  it('none of a picture or an archive', () => {
    expect(read(hex('89504e470d0a1a0a0000000d49484452'))).toBe('binary');
    expect(read(hex('504b0304140000000800'))).toBe('binary');
  });
});

it('a charset is read from a Content-Type', () => {
  expect(charsetIn('text/csv; charset=windows-1252')).toBe('windows-1252');
  expect(charsetIn('text/csv;header=present; Charset="Shift_JIS"; x=1')).toBe('Shift_JIS');
  expect(charsetIn('text/csv')).toBeNull();
});
