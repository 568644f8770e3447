/** One of several processes on one place: reads a command from each line, and answers with a line. */

import { createInterface } from 'node:readline'
import { openState } from '@portico/host/state'
import { redisLibrary } from './places.ts'

const [name = '', setting = '{}'] = process.argv.slice(2)
// The setting was made by this suite.
const where = JSON.parse(setting) as { redis: string }
const { store, bus } = await openState('redis' in where ? { ...where, library: redisLibrary } : where)

const heard = new Set<string>()
const hearers = new Map<string, () => void>()

const COMMANDS: { readonly [command: string]: (word: string) => Promise<string> } = {
  open: async () => {
    await store.get('number')
    return 'open'
  },
  raise: async (times) => {
    for (let at = 0; at < Number(times); at++) await raise()
    return times
  },
  lease: async (ms) => {
    const lease = await store.lease('lease', name, Number(ms))
    return lease === undefined ? 'held' : `${lease.epoch}`
  },
  listen: async () => {
    await bus.subscribe('topic', (text = '') => {
      heard.add(text)
      hearers.get(text)?.()
    })
    return 'listening'
  },
  publish: async (text) => {
    await bus.publish('topic', text)
    return 'published'
  },
  heard: async (text) => {
    if (!heard.has(text)) await new Promise<void>((resolve) => hearers.set(text, resolve))
    return text
  },
}

/** Two keys that are always equal. */
async function raise(): Promise<void> {
  for (;;) {
    const kept = await store.get('number')
    const value = `${Number(kept?.value ?? 0) + 1}`
    const number = { key: 'number', value, ifVersion: kept?.version ?? 0 }
    if ((await store.write([number, { key: 'numbers', value }])) !== undefined) return
  }
}

for await (const line of createInterface(process.stdin)) {
  const [command = '', word = ''] = line.split(' ')
  console.log(await (COMMANDS[command]?.(word) ?? Promise.resolve('what?')))
}
