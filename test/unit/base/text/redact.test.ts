import { describe, expect, it } from 'vitest';
import { redactText } from '../../../../src/base/text/redact.js';

const LONG = 'Team-Key-0b6f-4A1c';

describe('redactText', () => {
  it('takes the query out of every URL and leaves a mark where it was', () => {
    expect(
      redactText('GET https://h/a?sig=abc failed, see s3://u:p@b/k?x=1 and "http://i/#t=1"'),
    ).toBe('GET https://h/a?… failed, see s3://b/k?… and "http://i/?…"');
  });

  it('knows credentials that are empty', () => {
    expect(redactText('at https://@h/a')).toBe('at https://h/a');
  });

  it.each([
    ['via http://u:can#canary@proxy:3128 now', 'via http://… now'],
    ['via http://u:can/canary@proxy:3128 now', 'via http://… now'],
    ['via http:/u:canary@host now', 'via http:***@host now'],
    ['via http:u:canary@host now', 'via http:***@host now'],
    ['via https://u:canary', 'via https://…'],
    ['via redis:u:canary@host now', 'via redis:***@host now'],
    ['via rediss:u:canary@host now', 'via rediss:***@host now'],
    ['via ws:u:canary@host now', 'via ws:***@host now'],
    ['via wss:u:canary@host now', 'via wss:***@host now'],
    ['via http://user:canary/b@proxy now', 'via http://… now'],
  ])('knows credentials that are not written as they must be: %s', (text, redacted) => {
    expect(redactText(text).replace(':/***', ':***')).toBe(redacted);
  });

  it.each([
    'at https://h:8443/a@b, http://h:80: refused, (http://[::1]:4010), http://h: gone',
    'see C:/a@b and https://h/mail@ada',
    'http://127.0.0.1:4010/v2 answers',
  ])('takes no port for a password: %s', (text) => {
    expect(redactText(text)).toBe(text);
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

  describe.each(['key-1234-abcd', 'sk_live+A/b=c&d', 'pa ss"w<ö>rd\'', 'x1y2'.repeat(150)])(
    'knows the secret %.20s',
    (secret) => {
      const percent = (text: string) =>
        [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
      const entities = (text: string, write: (point: number) => string) =>
        Array.from(text, (character) => `&#${write(character.codePointAt(0)!)};`).join('');
      const html = secret
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&apos;');
      it.each([
        ['as it is', secret],
        ['in JSON', JSON.stringify(secret).slice(1, -1)],
        ['in JSON in JSON', JSON.stringify(JSON.stringify(secret).slice(1, -1)).slice(1, -1)],
        ['in JSON of PHP', JSON.stringify(secret).slice(1, -1).replaceAll('/', '\\/')],
        ['in a URL', encodeURIComponent(secret)],
        ['in a URL in a URL', encodeURIComponent(encodeURIComponent(secret))],
        ['in a form', new URLSearchParams({ a: secret }).toString().slice(2)],
        ['percent-encoded throughout', percent(secret)],
        ['percent-encoded in capitals', percent(secret).toUpperCase()],
        ['in HTML', html],
        ['in HTML in HTML', html.replaceAll('&', '&amp;')],
        ['in decimal entities', entities(secret, String)],
        ['in hexadecimal entities', entities(secret, (point) => `x${point.toString(16)}`)],
        ['in capital entities', entities(secret, (point) => `X00${point.toString(16)}`)],
      ])('%s', (_, written) => {
        expect(redactText(`<${written}>`, [secret])).toMatch(/^<(\*\*\*)+>$/);
      });

      it.each(['', 'a', 'ab', 'abc', 'user:', 'ä'])('in base64 behind %j', (before) => {
        for (const after of ['', 'a', 'ab', 'abc']) {
          const bytes = Buffer.from(before + secret + after);
          for (const alphabet of ['base64', 'base64url'] as const) {
            const encoded = bytes.toString(alphabet);
            const shown = redactText(`(${encoded})`, [secret]);
            expect(shown).toContain('***');
            // of what is left, no four characters are the secret's
            const left = shown.slice(1, -1).split(/(?:\*\*\*)+/);
            expect(Math.max(...left.map((rest) => rest.length))).toBeLessThanOrEqual(10);
            const wrapped = encoded.replaceAll(/(.{76})/g, '$1\r\n');
            expect(redactText(wrapped, [secret]).replaceAll(/\s/g, '')).toBe(shown.slice(1, -1));
            expect(redactText(encodeURIComponent(encoded), [secret])).toContain('***');
          }
        }
      });
    },
  );

  it('knows a secret that was escaped five times', () => {
    const secret = 'key "1" & more';
    let written = secret;
    for (let times = 0; times < 5; times++) written = JSON.stringify(written).slice(1, -1);
    expect(redactText(`<${written}>`, [secret])).toBe('<***>');
  });

  it('takes a word for no secret that is one in another case only', () => {
    expect(redactText('Secret-Word', ['secret-word'])).toBe('Secret-Word');
  });

  it.each([
    ['in capitals', LONG.toUpperCase()],
    ['in small letters, percent-encoded', LONG.toLowerCase().replaceAll('-', '%2d')],
    ['in hexadecimal digits', Buffer.from(LONG).toString('hex')],
    ['in capital hexadecimal digits', Buffer.from(LONG).toString('hex').toUpperCase()],
  ])('masks a long secret %s', (_what, written) => {
    expect(redactText(`it is <${written}>`, [LONG])).toBe('it is <***>');
  });

  it('takes no quadratic time to look for a long secret in a long text', () => {
    const before = process.cpuUsage();
    const secret = 'a'.repeat(4000) + 'b';
    expect(redactText('a'.repeat(20_000), [secret])).toHaveLength(20_000);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
  });

  it('accepts a secret that is not well-formed text', () => {
    expect(redactText('a pw\ud800pw b', ['pw\ud800pw'])).toBe('a *** b');
  });

  it('takes no quadratic time over text that looks like endless schemes', () => {
    const before = process.cpuUsage();
    expect(redactText('a.'.repeat(200_000))).toHaveLength(400_000);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
  });
});
