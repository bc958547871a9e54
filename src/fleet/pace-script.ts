/**
 * The shared rate limit as Lua scripts for Redis. Each is atomic and uses Redis's clock, so that the workers'
 * clocks need not agree. A generic cell rate algorithm (GCRA) without bursts.
 */

/**
 * Beginning of both scripts. The state is a hash: `tat`, when the next request is due; `paused`, the end of
 * a pause for all workers; `share`, the fraction of the rate left after a 429, which grows again from `since`.
 * Times are in milliseconds. A clock that was set back (or another server's, after a failover) must not block
 * the workers: no request is due later than one interval, and no pause is longer than `longest`.
 */
const STATE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local state = redis.call('HMGET', KEYS[1], 'tat', 'paused', 'share', 'since')
local cut, lowest, step, longest = 0.7, 0.1, 0.05, 600000
local paused = math.min(tonumber(state[2]) or 0, now + longest)
local since = math.min(tonumber(state[4]) or 0, now + longest)
local share = tonumber(state[3]) or 1
share = math.min(1, share + step * math.floor(math.max(0, now - since) / 1000))
`;

/**
 * ARGV: milliseconds between two requests at full rate; how late a request may be without shifting the
 * schedule. Returns 0 for a permit, otherwise the milliseconds until the next one.
 */
export const ACQUIRE = `${STATE}
local interval = tonumber(ARGV[1]) / share
local tat = math.min(tonumber(state[1]) or 0, now + interval)
local due = math.max(tat, paused)
if due > now then return math.ceil(due - now) end
redis.call('HSET', KEYS[1], 'tat', tostring(math.max(due, now - tonumber(ARGV[2])) + interval))
redis.call('PEXPIRE', KEYS[1], 60000 + math.ceil(interval))
return 0
`;

/** ARGV: milliseconds of the pause; milliseconds since the refused request was sent. */
export const SLOW_DOWN = `${STATE}
paused = math.max(paused, now + math.min(tonumber(ARGV[1]), longest))
local sent = now - tonumber(ARGV[2])
if sent >= since then
  share = math.max(lowest, share * cut)
  since = paused
  redis.call('HSET', KEYS[1], 'share', tostring(share), 'since', tostring(since))
end
redis.call('HSET', KEYS[1], 'paused', tostring(paused))
redis.call('PEXPIRE', KEYS[1], 60000 + math.ceil(paused - now))
return 0
`;
