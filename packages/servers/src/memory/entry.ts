/** The memory server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'memory',
  about: 'Facts and relations that outlive a conversation, each user’s apart from the others’',
  positional: 'file',
  options: {
    file: { type: 'string', about: 'Where they are kept', fallback: 'memory.db in your data folder' },
    maxEntities: { type: 'number', about: 'Things that one user may have remembered', fallback: '10000' },
    maxFacts: { type: 'number', about: 'Facts about one thing', fallback: '200' },
    maxRelations: { type: 'number', about: 'Relations that one user may have', fallback: '20000' },
    maxFactLength: { type: 'number', about: 'Characters of one fact', fallback: '2000' },
    allowUnasked: { type: 'boolean', about: 'Forget for clients that cannot ask their user', fallback: 'false' },
    structured: STRUCTURED,
  },
  async create(values) {
    const { createMemoryServer } = await import('./server.ts')
    return createMemoryServer({
      structured: flagValue(values, 'structured'),
      file: textValue(values, 'file'),
      maxEntities: countValue(values, 'maxEntities'),
      maxFacts: countValue(values, 'maxFacts'),
      maxRelations: countValue(values, 'maxRelations'),
      maxFactLength: countValue(values, 'maxFactLength'),
      allowUnasked: flagValue(values, 'allowUnasked'),
    })
  },
}
