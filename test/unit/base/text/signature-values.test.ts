import { expect, it } from 'vitest';
import { maskSignatures } from '../../../../src/base/text/mask-signatures.js';

const SECRET = 'a1B2c3D4e5F6%2Bg7%3D';

it.each([
  ['plain', `https://h/a.csv?X-Amz-Date=1&X-Amz-Signature=${SECRET}&v=2`],
  ['behind a path with a space', `https://h/my file.csv?X-Amz-Signature=${SECRET} and more`],
  ['escaped by HTML', `https://h/a?v=1&amp;X-Amz-Signature=${SECRET}&amp;v=2`],
  ['escaped by HTML twice', `https://h/a?v=1&amp;amp;sig=${SECRET}&amp;amp;v=2`],
  ['escaped by JSON', String.raw`https://h/a?v=1\u0026X-Amz-Signature=${SECRET}\u0026v=2`],
  ['escaped by JSON whole', String.raw`a?v=1\u0026Signature\u003d${SECRET}\u0026v=2`],
  ['in a URL within a URL', `https://h/?to=${encodeURIComponent(`https://i/a?sig=${SECRET}&v=2`)}`],
  [
    'in a URL within a URL within a URL',
    encodeURIComponent(encodeURIComponent(`https://i/a?Signature=${SECRET}&v=2`)),
  ],
  ['without a URL before it', `X-Amz-Signature=${SECRET}`],
  ['a session token', `https://h/a?X-Amz-Security-Token=${SECRET}&v=2`],
  ['in bare code', `curl 'https://h/a?X-Goog-Signature=${SECRET}'`],
])('a signature in a text is masked: %s', (_how, text) => {
  const masked = maskSignatures(text);
  expect(masked).toContain('***');
  expect(masked).not.toContain('c3D4e5');
  expect(masked).not.toContain('g7');
  expect(masked.includes('v')).toBe(text.includes('v'));
});

it('a signature in a text is found beside others: what stands around them stays', () => {
  expect(maskSignatures(`a ?sig=${SECRET}&b=1 (X-Amz-Signature=x) c`)).toBe(
    'a ?sig=***&b=1 (X-Amz-Signature=***) c',
  );
});

it.each([
  'the signature=yes of a policy',
  'https://h/?signature=no&sig=short',
  'design=abcdefghijklmnopqrst',
  'token security-token: 1234567890123456',
  '?signatures=abcdefghijklmnopqrst',
])('a signature in a text is not seen in %j', (text) => {
  expect(maskSignatures(text)).toBe(text);
});

it('a signature in a text takes no quadratic time', () => {
  // in quadratic time each of these takes minutes, and the test its limit
  for (const piece of ['%25', '\\', '&amp;', 'amp;', '?sig=', 'x-amz-']) {
    expect(maskSignatures(`${piece.repeat(300_000)} token`).endsWith(' token')).toBe(true);
  }
});
