import { expect, it } from 'vitest';
import {
  addressesOf,
  nameInPath,
  shownFileUrl,
  withoutValues,
} from '../../../../src/model/urls/shown-url.js';
import { withoutSecrets } from '../../../../src/model/urls/url-secrets.js';
import { fault } from '../../../support/base/fault.js';

it.each([
  ['https://h/a.csv?X-Amz-Signature=abc', 'https://h/a.csv'],
  ['https://h/a.csv#token=abc', 'https://h/a.csv'],
  ['https://ada:secret@h:8443/a.csv', 'https://h:8443/a.csv'],
  ['https://ada:se@cret@h/a.csv', 'https://h/a.csv'],
  ["https://ada:it's@h/a.csv", 'https://h/a.csv'],
  ['HTTPS://ADA:SECRET@H/a', 'HTTPS://H/a'],
  ['folder/a.csv?sig=abc', 'folder/a.csv'],
  ['https://h/a\n?sig=abc\nmore', 'https://h/a\n'],
  ['https://h/mail@ada/ä (1).csv', 'https://h/mail@ada/ä (1).csv'],
  ['https://@h/a', 'https://h/a'],
  ['https://h/a;Signature=canary;v=2/b;c/d.csv', 'https://h/a;Signature=***;v=***/b;c/d.csv'],
  ['https://h/a.csv;jsessionid=canary?x=1', 'https://h/a.csv;jsessionid=***'],
  ['', ''],
])('a URL that leads to a file leaves of %j only %j', (url, redacted) => {
  expect(shownFileUrl(url)).toBe(redacted);
});

it.each([
  ['https://h/a', 'https://h/a'],
  ['https://h/a?token=canary', 'https://h/a?token=***'],
  ['https://h/a?v=1&&b=2&amp;c=', 'https://h/a?v=***&&b=***&amp;c=***'],
  ['https://h/a?canary', 'https://h/a?***'],
  ['https://h/a#access_token=canary&x=1', 'https://h/a#access_token=***&x=***'],
  ['https://h/a?b=1#canary', 'https://h/a?b=***#***'],
  ['https://u:canary@h/a;Signature=canary/c?d', 'https://h/a;Signature=***/c?***'],
])('a URL without the values of its parameters of %s is %s', (url, shown) => {
  expect(withoutValues(url)).toBe(shown);
});

it.each([
  ['https://h/files/umsatz-2026.csv?X-Amz-Signature=abc', 'umsatz-2026.csv'],
  ['https://h/a%20b%20%C3%BC.csv#top', 'a b ü.csv'],
  ['https://h/100%.csv', '100%.csv'],
  ['https://h/a.csv;jsessionid=canary', 'a.csv'],
  ['folder/key.csv', 'key.csv'],
  [' https://h/chart-may.png\n', 'chart-may.png'],
  ['//h/chart.png', 'chart.png'],
  ['https://h/files/', null],
  ['https://h', null],
  ['', null],
  [null, null],
])('the name at the end of %s is %s', (url, name) => {
  expect(nameInPath(url)).toBe(name);
});

const addresses = addressesOf([
  'https://u:p@h/a b.csv?token=1',
  'https://h/pic.png',
  'https://h/x;Signature=1/y',
  'folder/key.csv',
  null,
]);

it.each([
  ['![x](https://h/pic.png?q=canary) and', '![x](https://h/pic.png?q=***) and'],
  ['<img src="https://h/pic.png?q=canary">', '<img src="https://h/pic.png?q=***">'],
  ['see https://h/pic.png?a=canary#canary.', 'see https://h/pic.png?a=***#***.'],
  ['(https://u:canary@h/pic.png), ok', '(https://h/pic.png), ok'],
  ['[y](https://h/x;Signature=canary/y)', '[y](https://h/x;Signature=***/y)'],
  [
    'https://h/pic.png?a=1 https://h/pic.png?b=2',
    'https://h/pic.png?a=*** https://h/pic.png?b=***',
  ],
  ['https://h/pic.png', 'https://h/pic.png'],
])('a text that names the files of its job keeps of %s only %s', fault('F-83'), (text, shown) => {
  expect(withoutSecrets(text, { files: addresses })).toBe(shown);
});

it.each([
  ['![x](https://any/a?v=canary)', '![x](https://any/a?v=***)'],
  [
    '![a (b)](<https://any/a;s=canary/b(1).png?canary> "t")',
    '![a (b)](<https://any/a;s=***/b(1).png?***> "t")',
  ],
  ["<img alt='x' src='https://any/a?v=canary'>", "<img alt='x' src='https://any/a?v=***'>"],
  ['[x](https://any/a?v=1) !(https://any/a?v=1)', '[x](https://any/a?v=1) !(https://any/a?v=1)'],
])('a text that names the files of its job knows an image of any address: %s', (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown);
  expect(withoutSecrets(text, { files: addresses })).toBe(shown);
});

it.each([
  'https://h/other?q=cats and https://other/pic.png?q=1',
  'no://h/pic.png?a=1',
  'folder/key.csv?a=1',
  'nothing at all',
])('a text that names the files of its job leaves alone what leads elsewhere: %s', (text) => {
  expect(withoutSecrets(text, { files: addresses })).toBe(text);
  expect(withoutSecrets('https://h/pic.png?a=1', { files: new Set() })).toBe(
    'https://h/pic.png?a=1',
  );
});

it.each([
  'https://',
  '![](https://',
  'src=https://',
  'https://u:p@',
  '![',
  'https://h/;a=',
  '](https://h/?',
])('a text of many of %s takes four times the work for four times the length, not 16', (piece) => {
  const workOf = (count: number): number => {
    const text = piece.repeat(count);
    const before = process.cpuUsage();
    withoutSecrets(text, { files: addresses });
    return process.cpuUsage(before).user;
  };
  workOf(100);
  const [one, four] = [workOf(8000), workOf(32_000)];
  // in microseconds; what is added is more than a collection of garbage takes
  expect(four).toBeLessThan(8 * one + 300_000);
});
