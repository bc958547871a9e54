import { expect, it } from 'vitest';
import { withoutSecrets } from '../../../../src/model/urls/url-secrets.js';
import { PRESIGNED, presigning } from '../../../support/http/presigned.js';

it.each(Object.keys(PRESIGNED))(
  'a text with presigned URLs loses the whole presigning of %s',
  (scheme) => {
    const url = `https://h/a.csv?v=2&${presigning(1, scheme)}&part=1#top`;
    expect(withoutSecrets(`see (${url}) there`)).toBe('see (https://h/a.csv?v=2&part=1#top) there');
  },
);

it.each([
  ['https://h/a?sig=x', 'https://h/a'],
  ['https://h/a?SIG=x&b=1', 'https://h/a?b=1'],
  ['https://h/a?b=1&c=2&%73ig=x', 'https://h/a?b=1&c=2'],
  ['https://h/a?b=1&amp;sig=x&amp;c=2', 'https://h/a?b=1&amp;c=2'],
  ['https://h/a?&&sig=x', 'https://h/a'],
  ['https://h/a?%zz=1&sig=x', 'https://h/a?%zz=1'],
  ['https://h/a?sig=x#t?s', 'https://h/a#t?s'],
  ['https://h/a?q-signature=x&x-cos-security-token=y&b=1', 'https://h/a?b=1'],
  ['https://h/a?ses=1&saoid=2&sig=x', 'https://h/a'],
  ['https://h/a?siamp;g=1&sig=x', 'https://h/a?siamp;g=1'],
  ['https://h/a?X-Amz-%zz=1&sig=x', 'https://h/a'],
])('a text with presigned URLs has of %s only %s', (url, bare) => {
  expect(withoutSecrets(url)).toBe(bare);
});

it('a text with presigned URLs knows Azure’s other parameters beside a sig alone', () => {
  expect(withoutSecrets('https://h/a?sp=r&sv=1&sig=x')).toBe('https://h/a');
  expect(withoutSecrets('https://h/a?sp=r&sv=1&signature=x')).toBe('https://h/a?sp=r&sv=1');
});

it.each([
  'https://h/a?sp=r&policy=gold&expires=never&v=1',
  'https://h/a?x-amz-date=1&key-pair-id=2',
  'https://h/a#?sig=x',
  'is it so?',
  '?sig=x',
  '',
])('a text with presigned URLs stays as it is without a signature: %s', (text) => {
  expect(withoutSecrets(text)).toBe(text);
});
