/** The time server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { flagValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'time',
  about: 'What time it is, anywhere, and what lies between two times',
  options: {
    zone: { type: 'string', about: 'The zone that is meant where none is named', fallback: "the machine's own" },
    structured: STRUCTURED,
  },
  async create(values) {
    const { createTimeServer } = await import('./server.ts')
    return createTimeServer({ zone: textValue(values, 'zone'), structured: flagValue(values, 'structured') })
  },
}
