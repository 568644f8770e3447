/** The everything server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { countValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'everything',
  about: 'Every feature of every revision, for people who write clients',
  options: {
    pageSize: { type: 'number', about: 'Items on a page of each list', fallback: 'lists are whole' },
    tickMs: {
      type: 'number',
      about: 'Milliseconds between two changes of the resource that changes',
      fallback: '5000',
    },
  },
  async create(values) {
    const { createEverythingServer } = await import('./server.ts')
    return createEverythingServer({ pageSize: countValue(values, 'pageSize'), tickMs: countValue(values, 'tickMs') })
  },
}
