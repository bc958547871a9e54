import { describe, expect, it } from 'vitest';
import { asRedisError } from '../../../src/fleet/redis.js';

const URL = 'redis://:s3cret-word@queue.internal:6379';
const refused = (message: string, more: object = {}) =>
  asRedisError(URL, Object.assign(new Error(message), { name: 'ReplyError' }, more));

describe('what Redis refuses', () => {
  it.each([
    ["OOM command not allowed when used memory > 'maxmemory'.", /its memory is full; raise/, 5],
    ['MOVED 3999 127.0.0.1:6381', /a node of a cluster/, 5],
    ['CLUSTERDOWN Hash slot not served', /a node of a cluster/, 5],
    ["CROSSSLOT Keys in request don't hash to the same slot", /a node of a cluster/, 5],
    ["READONLY You can't write against a read only replica.", /a replica.*name the primary/, 5],
    ['MISCONF Redis is configured to save RDB snapshots, but …', /cannot save to its own disk/, 5],
    ['LOADING Redis is loading the dataset in memory', /still loading/, 5],
    ['EXECABORT Transaction discarded because of previous errors.', /discarded a transaction/, 5],
    [
      'WRONGPASS invalid username-password pair or user is disabled.',
      /the user or the password/,
      6,
    ],
    ['NOAUTH Authentication required.', /the user or the password/, 6],
    ['ERR invalid password', /the user or the password/, 6],
    ['ERR AUTH <password> called without any password configured', /the user or the password/, 6],
    ["NOPERM this user has no permissions to run the 'evalsha' command", /access rules/, 6],
  ])('as "%s" is said in words, with Redis\'s own behind them', (message, words, exitCode) => {
    const error = refused(message) as Error;
    expect(error.message).toMatch(
      /^Redis at redis:\/\/\*\*\*@queue\.internal:6379 cannot be used: /,
    );
    expect(error.message).toMatch(words);
    expect(error.message).toContain(` (${message})`);
    expect(error).toMatchObject({
      name: 'RedisError',
      failure: exitCode === 6 ? 'authentication' : 'unreachable',
    });
  });

  it('in a transaction is said with the reason of the part that was refused', () => {
    const previousErrors = [new Error("OOM command not allowed when used memory > 'maxmemory'.")];
    const error = refused('EXECABORT Transaction discarded.', { previousErrors }) as Error;
    expect(error.message).toContain('its memory is full; raise its maxmemory');
  });

  it('and nobody has words for is said as Redis says it', () => {
    expect((refused('ERR value is not an integer') as Error).message).toBe(
      'Redis at redis://***@queue.internal:6379 cannot be used: ERR value is not an integer',
    );
  });
});
