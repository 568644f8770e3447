/**
 * What Redis does in one go. All keys have one hash tag, so that a cluster keeps them together. An entry is a text of sixteen
 * digits (its version) and the value, and expires by itself. `index` holds all keys in order, some of which may have expired;
 * `expiries` says when, so that they leave the index with later writes.
 *
 * Numbers come from one count that is never behind the clock (in microseconds), so that a Redis that lost everything gives
 * none of them a second time.
 */

import { createHash } from 'node:crypto'

export interface RedisScript {
  readonly text: string
  readonly sha: string
}

const NUMBERS = `
local count = KEYS[1]
local time = redis.call('TIME')
local micros = time[1] * 1000000 + time[2]
local function take(many)
  local last = math.max(tonumber(redis.call('GET', count) or '0'), micros)
  redis.call('SET', count, string.format('%.0f', last + many))
  return last
end
local function digits(number) return string.format('%016.0f', number) end
`

const SWEEP = `
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
  if wanted ~= '' then
    local found = redis.call('GETRANGE', prefix .. ARGV[at], 0, 15)
    if tonumber(found == '' and '0' or found) ~= tonumber(wanted) then return nil end
  end
  if ARGV[at + 1] == '1' then kept = kept + 1 end
end
${SWEEP}
local version = take(kept)
local given = {}
for at = 2, #ARGV, 5 do
  local key, ttl = ARGV[at], ARGV[at + 4]
  if ARGV[at + 1] == '1' then
    version = version + 1
    local value = digits(version) .. ARGV[at + 2]
    if ttl == '' then
      redis.call('SET', prefix .. key, value)
      redis.call('ZREM', expiries, key)
    else
      redis.call('SET', prefix .. key, value, 'PX', ttl)
      redis.call('ZADD', expiries, micros / 1000 + tonumber(ttl), key)
    end
    redis.call('ZADD', index, 0, key)
    table.insert(given, digits(version))
  else
    redis.call('DEL', prefix .. key)
    redis.call('ZREM', index, key)
    redis.call('ZREM', expiries, key)
    table.insert(given, '0')
  end
end
return given`)

/** KEYS: index. ARGV: prefix of entries, from, to, limit. Gives keys and entries in turn. */
export const LIST = script(`
local from, limit, found = ARGV[2], tonumber(ARGV[4]), {}
while #found < 2 * limit do
  local keys = redis.call('ZRANGEBYLEX', KEYS[1], from, ARGV[3], 'LIMIT', 0, 200)
  for _, key in ipairs(keys) do
    local entry = redis.call('GET', ARGV[1] .. key)
    if entry then
      table.insert(found, key)
      table.insert(found, entry)
      if #found == 2 * limit then return found end
    end
  end
  if #keys < 200 then return found end
  from = '(' .. keys[#keys]
end
return found`)

/** KEYS: count, the lease. ARGV: owner, milliseconds. */
export const LEASE = script(`${NUMBERS}
if redis.call('EXISTS', KEYS[2]) == 1 then return nil end
local epoch = digits(take(1) + 1)
redis.call('SET', KEYS[2], epoch .. ARGV[1], 'PX', ARGV[2])
return epoch`)

/** KEYS: the lease. ARGV: epoch, milliseconds. */
export const RENEW = script(`
local epoch = redis.call('GETRANGE', KEYS[1], 0, 15)
if epoch == '' or tonumber(epoch) ~= tonumber(ARGV[1]) then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`)

/** KEYS: the lease. ARGV: epoch. */
export const RELEASE = script(`
local epoch = redis.call('GETRANGE', KEYS[1], 0, 15)
if epoch == '' or tonumber(epoch) ~= tonumber(ARGV[1]) then return 0 end
return redis.call('DEL', KEYS[1])`)

function script(text: string): RedisScript {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}
