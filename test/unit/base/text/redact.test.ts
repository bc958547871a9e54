import { describe, expect, it } from 'vitest';
import { redactText, redactUrl } from '../../../../src/base/text/redact.js';

describe('redactUrl', () => {
  it.each([
    ['https://h/a.csv?X-Amz-Signature=abc', 'https://h/a.csv'],
    ['https://h/a.csv#token=abc', 'https://h/a.csv'],
    ['https://ada:secret@h:8443/a.csv', 'https://h:8443/a.csv'],
    ['https://ada:se@cret@h/a.csv', 'https://h/a.csv'],
    ["https://ada:it's@h/a.csv", 'https://h/a.csv'],
    ['HTTPS://ADA:SECRET@H/a', 'HTTPS://H/a'],
    ['redis://:secret@h:6379/0', 'redis://h:6379/0'],
    ['folder/a.csv?sig=abc', 'folder/a.csv'],
    ['https://h/a\n?sig=abc\nmore', 'https://h/a\n'],
    ['https://h/mail@ada/ä (1).csv', 'https://h/mail@ada/ä (1).csv'],
    ['https://@h/a', 'https://h/a'],
    ['', ''],
  ])('leaves of %j only %j', (url, redacted) => {
    expect(redactUrl(url)).toBe(redacted);
  });
});

describe('redactText', () => {
  it('takes the query out of every URL and leaves a mark where it was', () => {
    expect(
      redactText('GET https://h/a?sig=abc failed, see s3://u:p@b/k?x=1 and "http://i/#t=1"'),
    ).toBe('GET https://h/a?… failed, see s3://b/k?… and "http://i/?…"');
  });

  it('knows credentials that are empty', () => {
    expect(redactText('at https://@h/a')).toBe('at https://h/a');
  });

  it('removes a bracket too many rather than leave a signature', () => {
    expect(redactText('[a](https://h/a?sig=b(c)d)')).toBe('[a](https://h/a?…');
  });

  it('leaves a text without URLs and secrets as it is', () => {
    const text = 'Is 5 > 3? Yes: a@b.c #1 $& $1';
    expect(redactText(text, ['', 'absent'])).toBe(text);
  });

  it('takes out a secret wherever it stands, without reading it as a pattern', () => {
    expect(redactText('a.b(c a.b(c axb(c', ['a.b(c'])).toBe('*** *** axb(c');
    expect(redactText('key a$&b end', ['a$&b'])).toBe('key *** end');
  });

  it('leaves a text readable whose secret is a letter or three', () => {
    expect(redactText('cannot read a file', ['a', 'e', 'ann'])).toBe('cannot read a file');
    expect(redactText('redis://:abc@h/0 refuses', ['abc'])).toBe('redis://h/0 refuses');
  });

  it('leaves no end of a secret that begins with another', () => {
    expect(redactText('key-1 key-1-long', ['key-1', 'key-1-long'])).toBe('*** ***');
  });

  it('knows a secret in the spelling of JSON and of URLs', () => {
    const secret = 'a"b\\c/d+e';
    expect(redactText(JSON.stringify({ secret }), [secret])).toBe('{"secret":"***"}');
    expect(redactText(`x=${encodeURIComponent(secret)}`, [secret])).toBe('x=***');
  });

  it('accepts a secret that is not well-formed text', () => {
    expect(redactText('a pw\ud800pw b', ['pw\ud800pw'])).toBe('a *** b');
  });

  it('takes no quadratic time over text that looks like endless schemes', () => {
    const started = performance.now();
    expect(redactText('a.'.repeat(200_000))).toHaveLength(400_000);
    expect(performance.now() - started).toBeLessThan(2000);
  });
});
