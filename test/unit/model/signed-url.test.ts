import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unsignedReference, unsignedText, unsignedUrl } from '../../../src/model/signed-url.js';

const S3 = 'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20241018T104617Z&X-Amz-Signature=ab';

describe('unsignedUrl', () => {
  it.each([
    ['Amazon S3, version 4', S3],
    ['Amazon S3, version 2', 'AWSAccessKeyId=A&Expires=1&Signature=x%2By%3D'],
    ['CloudFront', 'Policy=p&Signature=s&Key-Pair-Id=k'],
    ['Google', 'X-Goog-Algorithm=G&X-Goog-Signature=ab'],
    ['Google, version 2', 'GoogleAccessId=a&Expires=1&Signature=s'],
    ['Azure', 'sv=2022-11-02&st=a&se=b&sr=b&sp=r&sip=1.2.3.4&spr=https&sig=x%3D'],
    ['Alibaba', 'OSSAccessKeyId=a&Expires=1&Signature=s&security-token=t'],
    ['Alibaba, version 4', 'x-oss-credential=c&x-oss-date=d&x-oss-expires=1&x-oss-signature=s'],
    ['Tencent', 'q-sign-algorithm=sha1&q-ak=a&q-sign-time=1&q-key-time=1&q-signature=s'],
    ['odd spelling', 'x-AMZ-date=1&X%2DAmz%2DSignature=2&SIGNATURE'],
  ])('takes off what signs the URL: %s', (_scheme, query) => {
    expect(unsignedUrl(`https://h/a.csv?${query}`)).toBe('https://h/a.csv');
    expect(unsignedUrl(`https://h/a.csv?v=2&${query}&part=1#top`)).toBe(
      'https://h/a.csv?v=2&part=1',
    );
  });

  it.each([
    'https://h/a.csv',
    'https://h/a.csv?versionId=1&response-content-type=text%2Fcsv',
    'https://h/a.csv?b=1&a=2&b=1',
    'https://h/a.png?x-oss-process=image%2Fresize',
    'https://h/a.csv?st=berlin&sp=2&sr=3&sv=de',
    'https://h/a.csv?signatures=1&my-signature=2&xsig=3',
    'https://h/a.csv?%E0%A4%A=1',
    'folder/a b (1).csv',
    '',
  ])('leaves what names the file: %j', (url) => {
    expect(unsignedUrl(url)).toBe(url);
  });

  it('works on bare storage keys and relative URLs alike', () => {
    expect(unsignedUrl(`folder/a b.csv?${S3}`)).toBe('folder/a b.csv');
  });
});

describe('unsignedReference', () => {
  it('keeps the fragment, which may be all that tells two references apart', () => {
    expect(unsignedReference(`https://h/a?x=1&${S3}#page=2`)).toBe('https://h/a?x=1#page=2');
  });

  it.each(['https://h/a?', 'https://h/a?&&x=1&', 'https://h/a#b?sig=1', 'https://h/a?#', ''])(
    'leaves %j as it is, since nothing signs it',
    (url) => {
      expect(unsignedReference(url)).toBe(url);
    },
  );
});

describe('unsignedText', () => {
  it.each([
    ['a Markdown link', '[t](URL)', '[t](PLAIN)'],
    ['a Markdown image with a title', '![t](URL "chart")', '![t](PLAIN "chart")'],
    ['a link in angle brackets', '<URL>', '<PLAIN>'],
    ['a reference', '[1]: URL\nmore', '[1]: PLAIN\nmore'],
    ['two links with nothing between', '[a](URL)[b](URL)', '[a](PLAIN)[b](PLAIN)'],
    ['HTML', '<img src="URL">', '<img src="PLAIN">'],
    ['JSON in a string', '{\\"url\\":\\"URL\\",\\"n\\":1}', '{\\"url\\":\\"PLAIN\\",\\"n\\":1}'],
    ['code', '`URL`', '`PLAIN`'],
    ['a sentence', 'Is it at URL or not?', 'Is it at PLAIN or not?'],
    ['a question before', 'https://x.org/a?b, then URL', 'https://x.org/a?b, then PLAIN'],
  ])('unsigns the URL in %s', (_where, signed, plain) => {
    const url = 'https://h/a.csv';
    expect(unsignedText(signed.replaceAll('URL', `${url}?${S3}`))).toBe(
      plain.replaceAll('PLAIN', url),
    );
  });

  it('knows parameters that HTML joins with &amp;', () => {
    const text = `<img src="https://h/a.png?v=1&amp;${S3.replaceAll('&', '&amp;')}">`;
    expect(unsignedText(text)).toBe('<img src="https://h/a.png?v=1">');
  });

  it.each([
    'https://h/sales (final) [2].csv',
    "https://h/it's_a_{chart}|^`.png",
    'https://h/a(1).csv',
  ])('unsigns a text that is nothing but %j', (url) => {
    expect(unsignedText(`${url}?${S3}`)).toBe(url);
  });

  it('finds the end of a URL with brackets in its path or query', () => {
    expect(unsignedText(`see [t](https://h/a(1).csv?${S3}) and`)).toBe(
      'see [t](https://h/a(1).csv) and',
    );
    expect(unsignedText(`[t](https://h/a?f=x(1)[2].csv&${S3}), b`)).toBe(
      '[t](https://h/a?f=x(1)[2].csv), b',
    );
  });

  it('never eats the prose behind a URL', () => {
    const text = (tail: string) => `https://h/a?sig=abc ${tail}&sig=1`;
    expect(unsignedText(text('rose by 3 %'))).toBe('https://h/a rose by 3 %&sig=1');
    expect(unsignedText(text('fell by 3 %'))).not.toBe(unsignedText(text('rose by 3 %')));
  });

  it.each(['Why? Because.', 'a?sig=1', 'https://h/a? b', 'x https://h/?q=1#frag y', '?', ''])(
    'leaves %j as it is',
    (text) => {
      expect(unsignedText(text)).toBe(text);
    },
  );

  it('is done with a text that is done', () => {
    const piece = fc.constantFrom(
      ...['https://h/a', '?', '&', '#', 'sig=1', 'X-Amz-Date=2', 'b=3', '(', ')', '[', ']', ' '],
      ...['"', 'amp;', 'se=1', 'st=2', 'text'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const once = unsignedText(pieces.join(''));
        expect(unsignedText(once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });

  it('takes no quadratic time over a text of nothing but beginnings', () => {
    const started = performance.now();
    unsignedText(`${'https://'.repeat(20_000)} ?`);
    unsignedText(`https://h/?${'('.repeat(200_000)}`);
    unsignedText(`x https://h/?${'a'.repeat(5_000_000)}`);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
