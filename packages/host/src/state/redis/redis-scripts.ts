/**
 * What Redis does in one go. All keys have one hash tag, so that a cluster keeps them together. An entry is a text of sixteen
 * digits (its version) and the value, and expires by itself. `index` holds all keys in order, some of which may have expired;
 * `expiries` says when, so that they leave the index with later writes.
 *
 * Numbers come from one count that is never behind the clock (in microseconds), so that a Redis that lost everything gives
 * none of them a second time.
 *
 * Whoever else reaches the database may put anything under these keys. An entry without a version has `FOREIGN_VERSION`, what
 * stands for a lease and has no epoch or no end is none, and an index that is no index is made anew.
 */

import { createHash } from 'node:crypto'
import { FOREIGN_VERSION } from '@portico/sdk/state'

export interface RedisScript {
  readonly text: string
  readonly sha: string
}

const READING = `
local function number(key)
  local found = redis.pcall('GETRANGE', key, 0, 15)
  if type(found) ~= 'string' or #found ~= 16 or not string.match(found, '^%d+$') then return nil end
  local read = tonumber(found)
  if read >= ${FOREIGN_VERSION} and read <= ${Number.MAX_SAFE_INTEGER} then return read end
end
local function version(key)
  return number(key) or (redis.call('EXISTS', key) == 1 and ${FOREIGN_VERSION} or 0)
end
local function epoch(key)
  local found = number(key)
  if found and redis.call('PTTL', key) >= 0 then return found end
end
`

/** Far beyond any clock, and far enough below what can be counted exactly. */
const MOST = 9e15

const NUMBERS = `${READING}
local count = KEYS[1]
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local function take(many)
  local last = tonumber((redis.pcall('GET', count)))
  if not (last and last >= micros and last <= ${MOST}) then last = micros end
  redis.call('SET', count, string.format('%.0f', last + many))
  return last
end
local function digits(number) return string.format('%016.0f', number) end
`

const SWEEP = `
for _, key in ipairs({index, expiries}) do
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'zset' and kind ~= 'none' then redis.call('DEL', key) end
end
local over = redis.call('ZRANGEBYSCORE', expiries, '-inf', micros / 1000, 'LIMIT', 0, 100)
for _, key in ipairs(over) do
  redis.call('ZREM', expiries, key)
  if redis.call('EXISTS', prefix .. key) == 0 then redis.call('ZREM', index, key) end
end
`

/** KEYS: count, index, expiries. ARGV: prefix of entries, then key, '1' or '' (deleted), value, version and time of each. */
export const WRITE = script(`${NUMBERS}
local index, expiries, prefix = KEYS[2], KEYS[3], ARGV[1]
local kept = 0
for at = 2, #ARGV, 5 do
  local wanted = ARGV[at + 3]
  if wanted ~= '' and version(prefix .. ARGV[at]) ~= tonumber(wanted) then return nil end
  if ARGV[at + 1] == '1' then kept = kept + 1 end
end
${SWEEP}
local last = take(kept)
local given = {}
for at = 2, #ARGV, 5 do
  local key, ttl = ARGV[at], ARGV[at + 4]
  if ARGV[at + 1] == '1' then
    last = last + 1
    local value = digits(last) .. ARGV[at + 2]
    if ttl == '' then
      redis.call('SET', prefix .. key, value)
      redis.call('ZREM', expiries, key)
    else
      redis.call('SET', prefix .. key, value, 'PX', ttl)
      redis.call('ZADD', expiries, micros / 1000 + tonumber(ttl), key)
    end
    redis.call('ZADD', index, 0, key)
    table.insert(given, digits(last))
  else
    redis.call('DEL', prefix .. key)
    redis.call('ZREM', index, key)
    redis.call('ZREM', expiries, key)
    table.insert(given, '0')
  end
end
return given`)

/** KEYS: index. ARGV: prefix of entries, from, to, limit. Gives keys and entries in turn, an empty one for what is no text. */
export const LIST = script(`
local from, limit, found = ARGV[2], tonumber(ARGV[4]), {}
while #found < 2 * limit do
  local keys = redis.pcall('ZRANGEBYLEX', KEYS[1], from, ARGV[3], 'LIMIT', 0, 200)
  if keys.err then return found end
  for _, key in ipairs(keys) do
    local entry = redis.pcall('GET', ARGV[1] .. key)
    if entry then
      table.insert(found, key)
      table.insert(found, type(entry) == 'string' and entry or '')
      if #found == 2 * limit then return found end
    end
  end
  if #keys < 200 then return found end
  from = '(' .. keys[#keys]
end
return found`)

/** KEYS: count, the lease. ARGV: owner, milliseconds. */
export const LEASE = script(`${NUMBERS}
if epoch(KEYS[2]) then return nil end
local given = digits(take(1) + 1)
redis.call('SET', KEYS[2], given .. ARGV[1], 'PX', ARGV[2])
return given`)

/** KEYS: the lease. ARGV: epoch, milliseconds. */
export const RENEW = script(`${READING}
if epoch(KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

/** KEYS: the lease. ARGV: epoch. */
export const RELEASE = script(`${READING}
if epoch(KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
return redis.call('DEL', KEYS[1])`)

/** KEYS: the lease. Gives epoch and owner as they are kept. */
export const HOLDER = script(`${READING}
return epoch(KEYS[1]) and redis.call('GET', KEYS[1])`)

function script(text: string): RedisScript {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
