/**
 * Messages by NOTIFY on one channel for all topics. A payload has room for 8000 bytes; a topic and a text together take at
 * most 4513.
 */

import type { Carrier, Hearing } from '../remote-bus.ts'
import type { PostgresDatabase } from './postgres-database.ts'

export function postgresCarrier(database: PostgresDatabase): Carrier {
  const channel = `${database.schema}_bus`
  return {
    async publish(topic, text) {
      // A topic has no blank.
      await database.query('SELECT pg_notify($1, $2)', channel, `${topic} ${text}`)
    },
    failure: (cause) => database.failure(cause),
    connect: (heard, lost) => connect(database, channel, { heard, lost }),
  }
}

interface Told {
  heard(topic: string, text: string): void
  lost(): void
}

async function connect(database: PostgresDatabase, channel: string, { heard, lost }: Told): Promise<Hearing> {
  const client = database.makeClient()
  client.on('error', lost)
  client.on('end', lost)
  client.on('notification', ({ payload = '' }) => {
    const blank = payload.indexOf(' ')
    if (blank > 0) heard(payload.slice(0, blank), payload.slice(blank + 1))
  })
  const end = () => void client.end().catch(() => {})
  try {
    await client.connect()
    await client.query(`LISTEN ${channel}`)
    client.unref?.()
  } catch (error) {
    end()
    throw error
  }
  return { listen: async () => {}, ignore: () => {}, ping: () => client.query('SELECT 1'), end }
}
