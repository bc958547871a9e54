import { expect, it } from 'vitest';
import { withoutSecrets } from '../../../../src/model/urls/url-secrets.js';

it.each([
  [
    'C',
    'for(token=strtok(s,","); token;token=strtok(NULL,",")) ;auth=check(i);password=getpass();',
  ],
  ['a connection string', 'Server=db1;Database=sales;User Id=app;Password=hunter2;Encrypt=yes'],
  ['one of Azure', 'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=abcdefghijklmnop=='],
  ['a query alone', '?api_key=YOUR_KEY&limit=10'],
  ['a path with a query', 'GET /v1/items?page=2&token=abc&sort=name and /cars;auth=none;color=red'],
  ['a fragment', '#bearer=none #access_token=abcdefghijklmnopqrst'],
  ['a header', 'Authorization: Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
  ['YAML', 'token: abc\npassword: x\nauth=1&password=2'],
  ['SQL', 'SELECT a;key=1; UPDATE t SET password=md5(x);token=2'],
  ['a signature alone', 'X-Amz-Signature=0123456789abcdef0123456789abcdef'],
  ['no scheme', '//h/a?token=abc and h.example/a?token=abc'],
  ['a text behind a URL', 'https://h/ is where ?token=abc goes; (see https://h/a);token=strtok(s)'],
  ['a string behind a URL', `open("https://h/a");token="x" 'https://h/a';auth=1`],
  ['Markdown behind a URL', '[x](https://h/a);token=abc | `https://h/a`;token=abc'],
  ['data', 'data:text/plain;token=abc,auth=1'],
  ['an address of mail', 'mailto:ada@h.example, ada@h.example, https://h/@ada/x, //ada:x@h'],
  ['a port', 'https://h:8080?mail=a@h https://[::1]:80/a@b http://h:${port}/@scope/x'],
  ['a URL without secrets', 'https://h/a?page=2&sort=name&next_page_token=x&key=short#top'],
  ['a script', '<script src="https://cdn.example/a.js?v=3"></script>'],
])('what is not in a URL stays as it was sent: %s', (_what, text) => {
  expect(withoutSecrets(text)).toBe(text);
});

it.each([
  ['postgres://u:p@h/db', 'postgres://***@h/db'],
  ['mongodb+srv://u:p%40ss@h/?w=1', 'mongodb+srv://***@h/?w=1'],
  ['redis://:secret@h:6379/0', 'redis://***@h:6379/0'],
  ['postgres://u:p@ss@h/db; amqp://u:pa#ss@h', 'postgres://***@h/db; amqp://***@h'],
  ['https://ada:x@h/a, and', 'https://***@h/a, and'],
  ['https://web.example/https://u:p@h/a', 'https://web.example/https://***@h/a'],
  ['jdbc:postgresql://h/db?user=u&password=p', 'jdbc:postgresql://h/db?user=u&password=***'],
  ['jdbc:sqlserver://h;user=u;password=p;', 'jdbc:sqlserver://h;user=u;password=***;'],
  ['[x](https://h/a?token=abc) (b)', '[x](https://h/a?token=***) (b)'],
  ['<https://h/my file.csv?token=abc>', '<https://h/my file.csv?token=***>'],
  ['**https://h/a?token=abc**.', '**https://h/a?token=*****.'],
  ['https://h/a?token=abcを見て。', 'https://h/a?token=***を見て。'],
  ['見てhttps://h/a?token=abc', '見てhttps://h/a?token=***'],
  ['`curl https://h/{id}?api_key=abc&x=1`', '`curl https://h/{id}?api_key=***&x=1`'],
  ['https://h/cb#access_token=abc&state=1', 'https://h/cb#access_token=***&state=1'],
  ['https://h/a;jsessionid=abc?x=1', 'https://h/a;jsessionid=***'],
  ['https://maps.example/?key=AIzaSyA1234567890', 'https://maps.example/?key=***'],
  ['wss://h/socket?auth_token=abc', 'wss://h/socket?auth_token=***'],
  [
    String.raw`"https:\/\/u:p@h\/x?token=abc\u0026v=1"`,
    String.raw`"https:\/\/***@h\/x?token=***\u0026v=1"`,
  ],
  [
    'https%3A%2F%2Fu%3Ap%40h%2Fa%3Ftoken%3Dabc%26v%3D1',
    'https%3A%2F%2F***%40h%2Fa%3Ftoken%3D***%26v%3D1',
  ],
  [
    'https://p.example/?to=https%3A%2F%2Fh%2Fa%3Ftoken%3Dabc',
    'https://p.example/?to=https%3A%2F%2Fh%2Fa%3Ftoken%3D***',
  ],
])('a secret in a URL is masked, and nothing around it: %s', (text, masked) => {
  expect(withoutSecrets(text)).toBe(masked);
});

it('in code, what looks like an image is a URL like any other', () => {
  const code = '<img src="https://img.example/600?text=Hello&token=abc">';
  expect(withoutSecrets(code, { isCode: true })).toBe(code.replace('=abc', '=***'));
  expect(withoutSecrets(code)).toBe('<img src="https://img.example/600?text=***&token=***">');
});

it.each([
  'https://',
  'a.a.',
  '://',
  'https:\\/\\/',
  'x%3A%2F%2F',
  'https://u:',
  'https://h/(',
  '<a://',
  '\\',
])('masking takes no quadratic time over many of %s', (piece) => {
  // in quadratic time each of these takes minutes, and the test its limit
  expect(withoutSecrets(`${piece.repeat(300_000)} end`).endsWith(' end')).toBe(true);
});
