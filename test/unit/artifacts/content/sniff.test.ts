import { deflateSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { sniff } from '../../../../src/artifacts/content/sniff.js';
import { textEncodingOf } from '../../../../src/artifacts/content/text-encoding.js';
import { png } from '../../../support/tables/tiny-image.js';

async function sniffed(body: string | Uint8Array, kind = 'TABLE', isWhole = true) {
  const head = typeof body === 'string' ? Buffer.from(body) : body;
  const options = { kind, isWhole, encoding: textEncodingOf(head) };
  const { mediaType, extension, isErrorPage } = await sniff(head, options);
  return isErrorPage ? `error page: ${mediaType}` : `${mediaType} ${extension}`;
}

function utf16(text: string, order: 'le' | 'be', mark = true): Buffer {
  const bytes = Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le');
  return order === 'le' ? bytes : bytes.swap16();
}

const S3_ERROR = '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>';

it.each([
  ['a plain CSV', 'a,b\n1,2\n'],
  ['a CSV with a byte order mark', '\ufeffa,b\n1,2\n'],
  ['one that begins like a bitmap', 'BMI,age\n21,40\n'],
  ['one that begins like a program', 'MZ,x\n1,2\n'],
  ['one whose first cell begins with <', '<unknown>,b\n1,2\n'],
  ['one whose first header is a comparison', '<5,5-10,>10\n1,2,3\n'],
  ['one whose first header is called <html>', '<html>,count\n1,2\n'],
  ['one whose first header is called <error>', '<error>,count\n1,2\n'],
  ['one whose first cell is bold', '<b>x</b>,1\n2,3\n'],
  ['a list that is JSON, too', '[1,2]'],
  ['an unquoted brace', '{a},b\n1,2'],
  ['Latin-1', Buffer.from('caf\xe9,b\n1,2\n', 'latin1')],
  ['UTF-16 with a mark, little end first', utf16('a,b\n1,2\n', 'le')],
  ['UTF-16 with a mark, big end first', utf16('a,b\n1,2\n', 'be')],
  ['UTF-16 without a mark', utf16('a,b\n1,2\n', 'le', false)],
  ['big-endian UTF-16 without a mark', utf16('a,b\n1,2\n', 'be', false)],
  ['nothing at all', ''],
])('sniff calls %s a CSV where a table is expected', async (_, body) => {
  expect(await sniffed(body)).toBe('text/csv csv');
});

it.each([
  ['HTML with a doctype', '<!DOCTYPE html><html><body>Sign in</body></html>'],
  ['HTML after white space, comments and a mark', '\ufeff \n<!-- hi -->\n<HTML lang="en"><body>'],
  ['an old doctype', '<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01//EN" "x">\n<p>hi'],
  ['HTML in UTF-16', utf16('<html><body>no</body></html>', 'le')],
  ['HTML in UTF-16 without a mark', utf16('<html><body>no</body></html>', 'be', false)],
  ['XML with a declaration', `<?xml version="1.0" encoding="UTF-8"?>\n${S3_ERROR}`],
  ['XML without a declaration', S3_ERROR],
  [
    'a longer error',
    '<ErrorResponse xmlns="x">\n  <Error><Code>Expired</Code></Error>\n</ErrorResponse>',
  ],
  ['any XML that is whole', '<result><ok/></result>\n'],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'],
])('sniff calls %s an error page where a table is expected', async (_, body) => {
  expect(await sniffed(body)).toMatch(/^error page: /);
});

it('sniff accepts an SVG as an image, and nothing else that is markup', async () => {
  const svg = '<svg width="4" height="3"></svg>';
  expect(await sniffed(svg, 'IMAGE')).toBe('image/svg+xml svg');
  expect(await sniffed(`<?xml version="1.0"?><!DOCTYPE svg PUBLIC "a" "b">\n${svg}`, 'IMAGE')).toBe(
    'image/svg+xml svg',
  );
  expect(await sniffed(`<?xml version="1.0"?>\n<!-- x -->${svg}`, 'IMAGE')).toBe(
    'image/svg+xml svg',
  );
  expect(await sniffed('<html><svg/></html>', 'IMAGE')).toBe('error page: text/html');
  expect(await sniffed(S3_ERROR, 'IMAGE')).toBe('error page: application/xml');
});

it('sniff lets other kinds of blocks have pages and documents, but no refusals', async () => {
  expect(await sniffed('<!doctype html><p>chart', 'CHART_INFO')).toBe('text/html html');
  expect(await sniffed('<?xml version="1.0"?><chart/>', 'CHART_INFO')).toBe('application/xml xml');
  expect(await sniffed(S3_ERROR, 'CHART_INFO')).toBe('error page: application/xml');
  expect(await sniffed('{"series":[1]}', 'CHART_INFO')).toBe('application/json json');
  expect(await sniffed('{"series":[1', 'CHART_INFO', false)).toBe('application/json json');
  expect(await sniffed('{"series":[1', 'CHART_INFO', true)).toBe('text/plain txt');
  expect(await sniffed('hello', 'CHART_INFO')).toBe('text/plain txt');
});

it('sniff calls a JSON object JSON even where a table is expected', async () => {
  expect(await sniffed('{"message":"not ready"}')).toBe('application/json json');
});

it('sniff knows binary formats by their bytes, whatever was expected', async () => {
  const image = png({ width: 3, height: 2 });
  expect(await sniffed(image, 'IMAGE')).toBe('image/png png');
  expect(await sniffed(image, 'TABLE')).toBe('image/png png');
  expect(await sniffed(gzipSync('a,b\n'), 'TABLE')).toBe('application/gzip gz');
  expect(await sniffed('%PDF-1.4\n%%EOF', 'TABLE')).toBe('application/pdf pdf');
  expect(await sniffed(Buffer.from('PAR1\0\0\0\0PAR1', 'latin1'))).toBe(
    'application/vnd.apache.parquet parquet',
  );
});

it('sniff takes no longer for a text that is meant to confuse it', async () => {
  const hostile = [
    '<!doctype x ' + '[]'.repeat(200_000),
    '<!--'.repeat(100_000),
    '<?x'.repeat(100_000),
    `<${'a'.repeat(400_000)}`,
    '<svg '.repeat(100_000),
    '<error>' + ' '.repeat(400_000),
  ];
  const before = process.cpuUsage();
  for (const text of hostile) for (const kind of ['TABLE', 'IMAGE']) await sniffed(text, kind);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000);
});

it('sniff calls unknown content bytes', async () => {
  const noise = Buffer.from([1, 2, 3, 0, 0, 250, 7]);
  expect(await sniffed(noise, 'IMAGE')).toBe('application/octet-stream bin');
  expect(await sniffed(deflateSync('a'.repeat(99)), 'TABLE')).toBe('application/octet-stream bin');
  expect(await sniffed('', 'IMAGE')).toBe('application/octet-stream bin');
});
