/** The notion server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { countOrNone, countValue, flagValue, listValue, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'notion',
  about: 'Pages, data sources and comments of Notion; additions only when told',
  options: {
    write: { type: 'boolean', about: 'Offer additions; each is asked about', fallback: 'false' },
    allowUnasked: { type: 'boolean', about: 'Add things for clients that cannot ask', fallback: 'false' },
    base: { type: 'string', about: 'The address of the API', fallback: 'https://api.notion.com/v1' },
    tokenEnv: { type: 'string', about: 'Name of the variable that holds the token', fallback: 'NOTION_TOKEN' },
    maxCharacters: { type: 'number', about: 'Characters of one answer', fallback: '20000' },
    maxWaitMs: { type: 'number', about: 'How long to wait where Notion asks for it; 0: not', fallback: '60000' },
    maxResponseBytes: { type: 'number', about: 'Bytes of one answer, unpacked', fallback: '2000000' },
    timeoutMs: { type: 'number', about: 'How long one request may take', fallback: '30000' },
    allowPrivate: { type: 'string', multiple: true, about: 'host:port on a private address that may be reached' },
  },
  async create(values) {
    const { createNotionServer } = await import('./server.ts')
    return createNotionServer({
      write: flagValue(values, 'write'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      base: textValue(values, 'base'),
      tokenEnv: textValue(values, 'tokenEnv'),
      maxCharacters: countValue(values, 'maxCharacters'),
      maxWaitMs: countOrNone(values, 'maxWaitMs'),
      maxResponseBytes: countValue(values, 'maxResponseBytes'),
      timeoutMs: countValue(values, 'timeoutMs'),
      allowPrivate: listValue(values, 'allowPrivate'),
    })
  },
}
