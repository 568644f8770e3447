/** How a stranger who reaches a database puts into it what no store wrote, in each kind of database. */

import type { StateSetting } from '@portico/host/state'
import type { StoredDamage } from '@portico/sdk/testing'
import pg from 'pg'
import { createClient } from 'redis'

export function damageOf(setting: StateSetting | undefined): StoredDamage {
  if (setting !== undefined && 'redis' in setting) return inRedis(setting.redis, `{${setting.prefix}}:`)
  if (setting !== undefined && 'postgres' in setting) return inPostgres(setting.postgres, `${setting.schema}`)
  throw new Error('There is no such database here')
}

function inRedis(url: string, tag: string): StoredDamage {
  const run = async (...commands: readonly (readonly string[])[]): Promise<void> => {
    const client = createClient({ url })
    await client.connect()
    for (const command of commands) await client.sendCommand([...command])
    client.destroy()
  }
  const put =
    (shelf: string, value: string) =>
    (key: string): Promise<void> =>
      run(['SET', `${tag}${shelf}:${key}`, value])
  const list = (key: string): Promise<void> => run(['DEL', key], ['LPUSH', key, 'x'])
  const texts = ['garbage', '', '0000000000000000x', '9999999999999999x', '-000000000000007x', '0x00000000000011x']
  return {
    entries: [...texts.map((text) => put('entry', text)), (key) => list(`${tag}entry:${key}`)],
    // The last is one whose end somebody has taken away.
    leases: [
      ...texts.map((text) => put('lease', text)),
      put('lease', '0000000000000042b'),
      (key) => list(`${tag}lease:${key}`),
    ],
    whole: [
      ...['garbage', 'nan', 'inf', '9999999999999999', '1'].map((text) => () => run(['SET', `${tag}count`, text])),
      ...['count', 'index', 'expiries'].map((name) => () => list(`${tag}${name}`)),
    ],
  }
}

function inPostgres(url: string, schema: string): StoredDamage {
  const run = async (text: string, ...values: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    await client.query(text, [...values])
    await client.end()
  }
  const put =
    (table: string, row: string) =>
    async (key: string): Promise<void> => {
      await run(`DELETE FROM ${schema}.${table} WHERE key = $1`, key)
      await run(`INSERT INTO ${schema}.${table} VALUES ($1, ${row})`, key)
    }
  const numbers = ['0', '-7', '9223372036854775807']
  const later = "now() + interval '1 day'"
  return {
    entries: numbers.map((version) => put('entries', `'garbage', ${version}, NULL`)),
    leases: [...numbers.map((epoch) => put('leases', `'b', ${epoch}, ${later}`)), put('leases', `'b', 42, 'infinity'`)],
    // Whoever may set the sequence may as well drop the tables.
    whole: [() => run(`DELETE FROM ${schema}.leases`)],
  }
}
