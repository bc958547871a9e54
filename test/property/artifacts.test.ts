import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CsvCounter, csvRecords } from '../../src/artifacts/content/csv-records.js';
import { TableInspector } from '../../src/artifacts/content/table-inspector.js';
import { scopeOf } from '../../src/artifacts/address-scope.js';
import { resolveLocation } from '../../src/artifacts/resolve-location.js';
import { sha256Hex } from '../../src/base/digest.js';
import { rawApi } from '../support/http/scripted-api.js';
import { bytesOf, fileRequest, stored, testFetcher } from '../support/http/test-fetcher.js';
import { fault } from '../support/base/fault.js';

/** Cuts bytes at the given fractions of their length. */
function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const ends = [...at.map((fraction) => Math.floor(fraction * bytes.length)), bytes.length].sort(
    (a, b) => a - b,
  );
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
}

const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
const cell = fc.oneof(
  fc.string({ unit: fc.constantFrom('a', 'b', ' ', ',', '"', '\n', '\r', ';', 'é', '😀', '<') }),
  fc.stringMatching(/^[\w ]{1,8}$/),
);

it('a table is counted right, however it is cut, separated and encoded', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 6 }).chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), {
          minLength: 1,
          maxLength: 20,
        }),
      ),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('utf8', 'utf8 mark', 'utf16le', 'utf16be'),
      cuts,
      (table, lineEnd, separator, encoding, at) => {
        const quoted = table.map((row) =>
          row.map((text) => `"x${text.replaceAll('"', '""')}"`).join(separator),
        );
        const text = quoted.join(lineEnd) + lineEnd;
        const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
        const bytes = {
          utf8: Buffer.from(text),
          'utf8 mark': Buffer.from(`\ufeff${text}`),
          utf16le: utf16,
          utf16be: Buffer.from(utf16).swap16(),
        }[encoding];
        const inspector = new TableInspector();
        for (const chunk of cut(bytes, at)) inspector.write(chunk);
        expect(inspector.end()).toMatchObject({
          encoding: encoding.replace(' mark', '').replace(/(?<=utf)/, '-'),
          separator,
          headingLine: 1,
          shape: { rowCount: table.length - 1, columnCount: table[0]?.length },
        });
      },
    ),
  );
});

const mess = fc.string({
  unit: fc.constantFrom('a', 'é', ' ', ',', '"', '"', '\n', '\r', ';'),
  maxLength: 40,
});

it('what no standard allows is counted as csv-parse does', () => {
  fc.assert(
    fc.property(mess, cuts, (text, at) => {
      const counter = new CsvCounter(',');
      for (const chunk of cut(Buffer.from(text), at)) counter.write(chunk);
      expect(counter.end()).toEqual(parsedShape(text));
    }),
    { numRuns: 2000 },
  );
});

it('the records of a text are those that are counted', () => {
  fc.assert(
    fc.property(mess, (text) => {
      const counter = new CsvCounter(',');
      counter.write(Buffer.from(text));
      const shape = counter.end();
      const records = [...csvRecords(text, ',')];
      if (shape === null) return;
      expect(Math.max(0, records.length - 1)).toBe(shape.rowCount);
      expect(Math.max(0, ...records.map(({ cells }) => cells.length))).toBe(shape.columnCount);
    }),
    { numRuns: 2000 },
  );
});

/** As csv-parse, which keeps every field, has it. */
function parsedShape(text: string): { rowCount: number; columnCount: number } | null {
  try {
    const records: string[][] = parse(text, {
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    return {
      rowCount: Math.max(0, records.length - 1),
      columnCount: Math.max(0, ...records.map((record) => record.length)),
    };
  } catch {
    return null;
  }
}

it(
  'a stored file is exactly what the last try sent, whatever broke off before',
  fault('F-21'),
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 5000 }),
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 9000 }), { maxLength: 3 }),
        cuts,
        async (body, broken, at) => {
          const plain = Buffer.concat([Buffer.from('x'), body]); // never a page
          await using host = await rawApi((socket, connection) => {
            const first = broken[connection - 1];
            if (first) {
              socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${first.length + 1}\r\n\r\n`);
              socket.end(first);
              return;
            }
            socket.write(
              'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n',
            );
            for (const chunk of cut(plain, at).filter(({ length }) => length > 0)) {
              socket.write(`${chunk.length.toString(16)}\r\n`);
              socket.write(chunk);
              socket.write('\r\n');
            }
            socket.end('0\r\n\r\n');
          });
          await using fetcher = testFetcher();
          const file = stored(await fetcher.fetch(fileRequest(host.url)));
          expect(await bytesOf(file)).toEqual(plain);
          expect(file).toMatchObject({ bytes: plain.length, sha256: sha256Hex(plain) });
          expect(fetcher.storage.place.staged.size).toBe(1);
        },
      ),
      { numRuns: 40 },
    );
  },
);

const bases = [
  'https://store.example/bucket',
  'https://store.example/',
  'http://store.example:8080/a/b/',
];

it('the guards let no storage key leave the base', fault('F-22'), () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)) }),
        fc.string({ unit: fc.constantFrom('.', '/', '\\', ':', '@', '?', '#', '%2e', ' ') }),
      ),
      fc.constantFrom(...bases),
      (key, text) => {
        const base = new URL(text);
        const location = resolveLocation(key, base);
        if ('lost' in location) return;
        expect(location.url.origin).toBe(base.origin);
        expect(location.url.pathname.startsWith(`${base.pathname.replace(/\/$/, '')}/`)).toBe(true);
        expect(location.url.search + location.url.hash).toBe('');
      },
    ),
  );
});

it('the guards judge an IPv4 address the same however IPv6 wraps it', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
      const words = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const forms = [
        `::ffff:${address}`,
        `::ffff:${words}`,
        `64:ff9b::${words}`,
        `2002:${words}::1`,
      ];
      const scope = scopeOf(address);
      expect(forms.map((form) => scopeOf(form))).toEqual(forms.map(() => scope));
    }),
  );
});
