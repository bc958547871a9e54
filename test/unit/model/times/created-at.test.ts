import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ulid } from '../../../../src/base/ulid.js';
import { createdAtOf, timesIn } from '../../../../src/model/times/created-at.js';
import { FakeClock } from '../../../support/base/fake-clock.js';

const isoOf = (id: string): string | undefined => {
  const created = createdAtOf(id);
  return created && new Date(Number(created.micros / 1000n)).toISOString();
};

describe('ids that embed a time', () => {
  it('the example of the notes was made on 15 November 2024', () => {
    expect(createdAtOf('job-cm3ikdeuj02zk01l1yeuirt77')).toEqual({
      micros: 1_731_664_566_379_000n,
      source: 'cuid',
    });
    expect(isoOf('job-cm3ikdeuj02zk01l1yeuirt77')).toBe('2024-11-15T09:56:06.379Z');
  });

  it.each([
    ['cm3ikdeuj02zk01l1yeuirt77', 'cuid'],
    ['a_cm3ikdeuj02zk01l1yeuirt77', 'cuid'],
    ['0192f0a1-2b3c-7d4e-8f56-0123456789ab', 'uuid7'],
    ['0192F0A1-2B3C-7D4E-BF56-0123456789AB', 'uuid7'],
    ['job-0192f0a1-2b3c-7d4e-8f56-0123456789ab', 'uuid7'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ulid'],
    ['01arz3ndektsv4rrffq69g5fav', 'ulid'],
    ['run:01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ulid'],
  ])('%s has its time as a %s', (id, source) => {
    expect(createdAtOf(id)?.source).toBe(source);
  });

  it('a UUID version 7 holds its milliseconds in the first 48 bits', () => {
    // RFC 9562, appendix A.6
    expect(isoOf('017F22E2-79B0-7CC3-98C4-DC0C0C07398F')).toBe('2022-02-22T19:22:22.000Z');
  });

  it('a ULID holds its milliseconds in the first ten characters', () => {
    expect(isoOf('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe('2016-07-30T23:54:10.259Z');
  });

  it('every millisecond from 2022 to 2039 survives the way through each kind of id', () => {
    const time = fc.integer({ min: Date.UTC(2022, 0, 1), max: Date.UTC(2040, 0, 1) - 1 });
    fc.assert(
      fc.property(time, fc.constantFrom('', 'job-', 'x_y-'), (ms, prefix) => {
        const hex = ms.toString(16).padStart(12, '0');
        const random = { fraction: () => 0, bytes: () => new Uint8Array(10).fill(165) };
        const ids = [
          `c${ms.toString(36)}0123456789abcdef`,
          `${hex.slice(0, 8)}-${hex.slice(8)}-7abc-9abc-0123456789ab`,
          ulid(new FakeClock(ms), random),
        ];
        for (const id of ids) expect(createdAtOf(prefix + id)?.micros).toBe(BigInt(ms) * 1000n);
      }),
    );
  });
});

describe('ids that embed none', () => {
  it.each([
    ['', 'the empty id'],
    ['0b6f2a52-5d0a-4c1e-9f3a-0123456789ab', 'a UUID version 4'],
    ['0192f0a1-2b3c-7d4e-cf56-0123456789ab', 'a UUID of another variant'],
    ['0192f0a12b3c7d4e8f560123456789ab', 'hexadecimal digits without hyphens'],
    ['cm3ikdeuj02zk01l1yeuirt7', 'a cuid that is one short'],
    ['cm3ikdeuj02zk01l1yeuirt770', 'a cuid that is one long'],
    ['CM3IKDEUJ02ZK01L1YEUIRT77', 'a cuid in capitals'],
    ['xcm3ikdeuj02zk01l1yeuirt77', 'a cuid behind a letter'],
    ['cm3ikdeuj02zk01l1yeuirt77-2', 'a cuid with something behind it'],
    ['c00000000000000000000abcd', 'a cuid of 1970'],
    ['c9999999900000000abcdefgh', 'a cuid of 1990'],
    ['ckxv267zz00000000abcdefgh', 'a cuid of 2021'],
    ['cs6smwao000000000abcdefgh', 'a cuid of 2040'],
    ['czzzzzzzz00000000abcdefgh', 'the last cuid, of 2059'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAU', 'a ULID with a letter that Crockford left out'],
    ['01ARZ3NDEKtsv4rrffq69g5fav', 'a ULID in both cases'],
    ['81ARZ3NDEKTSV4RRFFQ69G5FAV', 'a ULID beyond 128 bits'],
    ['7ZZZZZZZZZTSV4RRFFQ69G5FAV', 'a ULID of the year 10889'],
    ['0000000000TSV4RRFFQ69G5FAV', 'a ULID of 1970'],
    ['1731664566379', 'a bare number'],
    ['cm3ikdeuj02zk01l1yeuirt77\n', 'an id with a line break'],
  ])('%j has no timestamp: %s', (id) => {
    expect(createdAtOf(id)).toBeUndefined();
  });

  it('no UUID version 4 is ever taken for a time', () => {
    fc.assert(
      fc.property(fc.uuid({ version: 4 }), (id) => {
        expect(createdAtOf(id)).toBeUndefined();
        expect(createdAtOf(`session-${id}`)).toBeUndefined();
      }),
    );
  });
});

describe('ids of one history', () => {
  const cuids = ['job-cm3ikdeuj02zk01l1yeuirt77', 'job-cm3ikdeuj02zk01l1yeuirt78'];
  const random = 'job-k8vq2m0x4z7h1n5b9d3f6g0t2';

  it('tell their times together', () => {
    const uuid = '0192f0a1-2b3c-7d4e-8f56-0123456789ab';
    const { times, haveFormByChance } = timesIn([...cuids, 'seven', uuid]);
    expect(times.map((time) => time?.source)).toEqual(['cuid', 'cuid', undefined, 'uuid7']);
    expect(haveFormByChance).toBe(false);
  });

  it('are no cuids where one has their form and cannot be one; other kinds stay', () => {
    const uuid = '0192f0a1-2b3c-7d4e-8f56-0123456789ab';
    const { times, haveFormByChance } = timesIn([...cuids, random, uuid]);
    expect(times.map((time) => time?.source)).toEqual([undefined, undefined, undefined, 'uuid7']);
    expect(haveFormByChance).toBe(true);
    expect(timesIn(cuids, true).times).toEqual([null, null]);
  });

  it('that are words, or longer, do not count as of that form', () => {
    const others = ['abcdefghijklmnopqrstuvwxy', `${random}x`, 'a-job-without-a-time'];
    expect(timesIn([...cuids, ...others]).haveFormByChance).toBe(false);
  });

  it('tell no time where they are 25 random letters and digits, one not beginning with c', () => {
    const character = fc.constantFrom(...Array.from('0123456789abcdefghijklmnopqrstuvwxyz'));
    const id = fc.array(character, { minLength: 24, maxLength: 24 }).map((all) => all.join(''));
    const other = fc.constantFrom(...Array.from('abdefghijklmnopqrstuvwxyz'));
    fc.assert(
      fc.property(id, id, other, (one, two, first) => {
        const ids = [`c${one}`, `${first}${two}`];
        fc.pre(/[0-9]/.test(two));
        expect(timesIn(ids).times).toEqual([null, null]);
      }),
    );
  });
});
