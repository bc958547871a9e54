import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  downloadKey,
  fileAddress,
  isPresigned,
  maskedText,
  presignedUrlsIn,
  presigningMasked,
  unknownParameters,
} from '../../../../src/model/urls/file-url.js';
import { PRESIGNED, presigned, presigning } from '../../../support/http/presigned.js';
import { fault } from '../../../support/base/fault.js';

const SCHEMES = Object.keys(PRESIGNED);

it.each(SCHEMES)('a presigning scheme is recognised as a whole: %s', fault('F-23'), (scheme) => {
  const url = (read: number) => `https://h/a.csv?v=2&${presigning(read, scheme)}&part=1`;
  expect(isPresigned(url(1))).toBe(true);
  expect(downloadKey(url(1))).toBe(downloadKey(url(2)));
  expect(maskedText(`see ${url(1)} there`)).toBe(maskedText(`see ${url(2)} there`));
  expect(unknownParameters(url(1))?.parameters.map(({ name }) => name)).toEqual(['v', 'part']);
});

it.each(SCHEMES)(
  'a presigning scheme counts for nothing where its signature is missing: %s',
  (scheme) => {
    const url = (read: number) =>
      `https://h/a.csv?${presigning(read, scheme)}`.replace(/[\w-]*sig(nature)?=[^&]*&?/gi, '');
    expect(isPresigned(url(1))).toBe(false);
    if (url(1) !== url(2)) expect(downloadKey(url(1))).not.toBe(downloadKey(url(2)));
  },
);

it.each([
  'policy=gold',
  'expires=1729000000',
  'signature=abc',
  'sig=abc',
  'se=2024-10-18',
  'security-token=t',
  'X-Amz-Signature=ab&X-Amz-Date=20241018T104617Z&X-Amz-Expires=600',
  'Expires=1&Signature=s',
  'sv=de&se=2&sp=3&sr=4',
  'AWSAccessKeyId=a&Expires=1&Signature=',
  'AWSAccessKeyId=a&Expires=1&Signature=s&Expires=2',
  'AWSAccessKeyId=a&Expires=1&Signature=über',
  'AWSAccessKeyId=a&Expamp;ires=1&Signature=s',
])(
  'a presigning scheme is not recognised in a part of it, nor where it contradicts itself: %s',
  (query) => {
    expect(isPresigned(`https://h/a.csv?${query}`)).toBe(false);
    expect(maskedText(`https://h/a.csv?${query}`)).toBe(`https://h/a.csv?${query}`);
    expect(downloadKey(`https://h/a.csv?${query}`)).toBe(`https://h/a.csv?${query}`);
  },
);

it('a presigning scheme covers its own parameters only, in any case and place', () => {
  const key = downloadKey(
    'https://h/a?b=1&SIGNATURE=s&response-content-type=x&expires=1&a=2&AwsAccessKeyID=k&b=3#top',
  );
  expect(key).toBe('https://h/a?b=1&response-content-type=x&a=2&b=3&\u0000presigned');
});

it('a presigning scheme is there or absent: a URL that has lost it is another one', () => {
  expect(downloadKey(presigned('https://h/a?v=1'))).not.toBe(downloadKey('https://h/a?v=1'));
  expect(maskedText(presigned('https://h/a'))).not.toBe('https://h/a');
});

it("a URL's file is origin and path, with the fragment, for the place where it stands", () => {
  expect(fileAddress(`https://h:1/a%20b.csv?x=1&${presigning()}#page=2`)).toBe(
    'https://h:1/a%20b.csv#page=2',
  );
});

it.each(['tables/what?is this.csv', 'a#b?c=1', ''])(
  'what a URL says of its file is all of a bare storage key: %j',
  (key) => {
    expect(fileAddress(key)).toBe(key);
    expect(downloadKey(key)).toBe(key);
    expect(unknownParameters(key)).toBeUndefined();
    expect(isPresigned(presigned(key))).toBe(false);
  },
);

it.each([
  ['https://Files.Example:8443/a?T=1&b', 'files.example:8443', ['t=1', 'b='], false],
  [' http://h/a?&t=1&&', 'h', ['t=1'], false],
  ['https://h/a', 'h', [], false],
  ['https://h/a?=x', 'h', ['=x'], false],
  ['https://h/a?%zz=1&%54=2', 'h', ['%zz=1', 't=2'], false],
  ['https://h/http://i/a?t=', 'h', ['t='], false],
  [presigned('https://h/a?t=1'), 'h', ['t=1'], true],
])(
  'what a URL says of its file is its host and what no scheme covers: %s',
  (url, host, parameters, isSigned) => {
    const told = unknownParameters(url);
    expect(told?.host).toBe(host);
    expect(told?.parameters.map(({ name, value }) => `${name}=${value}`)).toEqual(parameters);
    expect(told?.isPresigned).toBe(isSigned);
  },
);

it.each([
  ['https://h/a?x=1#top', 'https://h/a?x=1', 'https://h/a#top'],
  ['https://h/a#top', 'https://h/a', 'https://h/a#top'],
  ['https://h/a#?x=1', 'https://h/a', 'https://h/a#?x=1'],
  ['https://h/a?', 'https://h/a?', 'https://h/a'],
  ['HTTP://h/a?x=1', 'HTTP://h/a?x=1', 'HTTP://h/a'],
  ['key https://h/a?x=1', 'key https://h/a?x=1', 'key https://h/a?x=1'],
])('what a URL says of its file is read to the end of its query: %s', (url, key, address) => {
  expect(downloadKey(url)).toBe(key);
  expect(fileAddress(url)).toBe(address);
});

it("a URL's file is another by every parameter that no scheme covers", fault('F-45'), () => {
  const keys = ['?file=1', '?file=2', '?file=1&file=2', '?file', '?FILE=1', ''].map((query) =>
    downloadKey(presigned(`https://h/a${query}`)),
  );
  expect(new Set(keys).size).toBe(keys.length);
});

it.each([
  ['a Markdown link', '[t](URL)'],
  ['a Markdown image with a title', '![t](URL "chart")'],
  ['a link in angle brackets', '<URL>'],
  ['a reference', '[1]: URL\nmore'],
  ['two links with nothing between', '[a](URL)[b](URL)'],
  ['a link behind another', '[a](https://h/page)[b](URL)'],
  ['HTML', '<img src="URL">'],
  ['JSON in a string', '{\\"url\\":\\"URL\\",\\"n\\":1}'],
  ['code', '`URL`'],
  ['a sentence', 'Is it at URL or not?'],
  ['the end of a sentence', 'It is at URL.'],
  ['a question before', 'https://x.org/a?b, then URL'],
  ['Chinese prose without a space', '见URL。金额是5'],
  ['the end of Chinese prose', '见URL。'],
  ['nothing else', 'URL'],
])('a text loses only the presigning of the URL in %s', (_where, text) => {
  const url = (read: number) => presigned('https://h/a.csv?v=1', read);
  const masked = maskedText(text.replaceAll('URL', url(1)));
  expect(masked).toBe(text.replaceAll('URL', 'https://h/a.csv?v=1&\u0000presigned'));
  expect(maskedText(text.replaceAll('URL', url(2)))).toBe(masked);
  const found = presignedUrlsIn(text.replaceAll('URL', url(1)));
  expect(new Set(found.map((one) => one.url))).toEqual(new Set([url(1)]));
});

it.each([' rose', '。rose', ',rose', '|rose', ') rose', '. Rose', '"rose'])(
  'a text keeps what follows a URL: %j',
  (tail) => {
    const text = (word: string) => presigned('https://h/a') + tail.replace(/rose/i, word);
    expect(maskedText(text('rose'))).not.toBe(maskedText(text('fell')));
  },
);

it('a text knows parameters that HTML joins with &amp;', () => {
  const url = presigned('https://h/a.png?v=1');
  const text = `<img src="${url.replaceAll('&', '&amp;')}">`;
  expect(maskedText(text)).toBe('<img src="https://h/a.png?v=1&\u0000presigned">');
  expect(presignedUrlsIn(text).map((one) => one.url)).toEqual([url]);
});

it('a text keeps the fragment of a presigned URL, and what stands behind an optional parameter', () => {
  const url = presigned('https://h/a');
  expect(maskedText(`see ${url}#top now`)).toBe('see https://h/a?\u0000presigned#top now');
  expect(presignedUrlsIn(`see ${url}#top now`)).toMatchObject([{ start: 4, url: `${url}#top` }]);
  const v2 = 'https://h/a?AWSAccessKeyId=k&Expires=1&Signature=s';
  expect(maskedText(`${v2}&X-Amz-Security-Token=é`)).not.toContain('presigned&');
  expect(maskedText(`see ${v2}&X-Amz-Security-Token=t now`)).toBe(
    'see https://h/a?\u0000presigned now',
  );
});

it('a text covers an optional parameter only where that is one of the scheme’s, once', () => {
  const url = 'https://h/a?AWSAccessKeyId=k&Expires=1&Signature=s&X-Amz-Security-Token=a';
  expect(downloadKey(url)).toBe('https://h/a?\u0000presigned');
  expect(downloadKey(`${url}&X-Amz-Security-Token=b`)).toBe(
    'https://h/a?X-Amz-Security-Token=a&X-Amz-Security-Token=b&\u0000presigned',
  );
  expect(maskedText(`${url.slice(0, -1)}。金额`)).toBe('https://h/a?\u0000presigned。金额');
  const first = 'https://h/a?X-Amz-Security-Token=a。b&AWSAccessKeyId=k&Expires=1&Signature=s';
  expect(maskedText(first)).toBe(first);
});

it('a text has the positions at which a presigned URL begins and ends', () => {
  const [first, second] = ['https://h/a', 'http://i/b'].map((url) => presigned(url));
  const text = `x [a](https://h/page)[b](${first}) and [c](https://h)[d](${second}), y`;
  const found = presignedUrlsIn(text);
  expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([first, second]);
  const around = presigned('https://h/a?of=(https://i/b)');
  expect(presignedUrlsIn(around)).toEqual([{ start: 0, end: around.length, url: around }]);
});

it.each([
  'https://h/sales (final) [2].csv',
  "https://h/it's_a_{chart}|^`.png",
  'https://h/a(1).csv',
])('a text may be nothing but %j, presigned', (url) => {
  expect(maskedText(presigned(url))).toBe(`${url}?\u0000presigned`);
});

it('a text finds the end of a URL with brackets in its path or query', () => {
  expect(maskedText(`see [t](${presigned('https://h/a(1).csv')}) and`)).toBe(
    'see [t](https://h/a(1).csv?\u0000presigned) and',
  );
  expect(maskedText(`[t](${presigned('https://h/a?f=x(1)[2].csv')}), b`)).toBe(
    '[t](https://h/a?f=x(1)[2].csv&\u0000presigned), b',
  );
});

it.each([
  'Which policy? https://h/a?policy=gold&expires=never',
  'Why? Because.',
  'a?sig=1',
  'https://h/a? b',
  'https://h/a?sig=1',
  '?',
  '',
])('a text stays as it is: %j', (text) => {
  expect(maskedText(text)).toBe(text);
  expect(presignedUrlsIn(text)).toEqual([]);
});

it('a text is done when it is done', () => {
  const piece = fc.constantFrom(
    ...['https://h/a', '?', '&', '#', 'sig=1', presigning(1), 'b=3', '(', ')', '[', ']', ' '],
    ...['"', 'amp;', 'se=1', 'st=2', 'text', 'Signature=1', 'Policy=1', 'Key-Pair-Id=1'],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const once = maskedText(pieces.join(''));
      expect(maskedText(once)).toBe(once);
    }),
    { numRuns: 1000 },
  );
});

it('a text takes no quadratic time, even where it is nothing but beginnings', () => {
  const texts = [
    `${'https://'.repeat(20_000)} ?sig=`,
    `${'https://'.repeat(200_000)}?sig=`,
    `?sig=${'a/'.repeat(1_000_000)}`,
    `https://h/?sig=${'('.repeat(200_000)}`,
    `x https://h/?sig=${'a'.repeat(5_000_000)}`,
    `https://h/?sig=1${'&a'.repeat(500_000)}`,
  ];
  // none of them has all that a presigned URL needs
  for (const text of texts) expect(maskedText(text) === text).toBe(true);
});

it.each(SCHEMES)(
  'what stays of a presigned URL from read to read is all but the scheme, part by part: %s',
  (scheme) => {
    const url = (read: number, part = 1) =>
      `https://h/a.csv?v=2&${presigning(read, scheme)}&part=${part}#page`;
    const masked = presigningMasked(url(1));
    expect(masked).toEqual(presigningMasked(url(2)));
    expect(masked?.[0]).toBe('https://h/a.csv');
    expect(masked?.[2]).toBe('#page');
    expect(masked).not.toEqual(presigningMasked(url(1, 2)));
    expect(presigningMasked(`see ${url(1)}`)).toBeUndefined();
    expect(presigningMasked(`${url(1)}.`)).toBeUndefined();
    expect(presigningMasked(`${url(1)} there`)).toBeUndefined();
    const text = `see "${url(1)}" there`;
    const [found] = presignedUrlsIn(text);
    expect(text.slice(found?.start, found?.end)).toBe(url(1));
  },
);

it('what stays of a URL from read to read does not exist where it is not presigned', () => {
  expect(presigningMasked('https://h/a.csv?v=2')).toBeUndefined();
  expect(presigningMasked('https://h/a.csv')).toBeUndefined();
  expect(maskedText('https://h/a.csv?v=2#page')).toBe('https://h/a.csv?v=2#page');
});
