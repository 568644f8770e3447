/** The google server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { countOrNone, countValue, flagValue, listValue, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'google',
  about: 'Mail, calendars and files of a Google account; sending only when told',
  options: {
    write: { type: 'boolean', about: 'Offer changes; each is asked about', fallback: 'false' },
    allowUnasked: { type: 'boolean', about: 'Change things for clients that cannot ask', fallback: 'false' },
    base: { type: 'string', about: 'The address of the API', fallback: 'https://www.googleapis.com' },
    tokenEnv: { type: 'string', about: 'Name of the variable that holds the token', fallback: 'GOOGLE_TOKEN' },
    tokenUrl: {
      type: 'string',
      about: 'Where new tokens are given out',
      fallback: 'https://oauth2.googleapis.com/token',
    },
    maxCharacters: { type: 'number', about: 'Characters of one answer', fallback: '20000' },
    maxWaitMs: { type: 'number', about: 'How long to wait where Google asks for it; 0: not', fallback: '60000' },
    maxResponseBytes: { type: 'number', about: 'Bytes of one answer, unpacked', fallback: '2000000' },
    timeoutMs: { type: 'number', about: 'How long one request may take', fallback: '30000' },
    allowPrivate: { type: 'string', multiple: true, about: 'host:port on a private address that may be reached' },
  },
  async create(values) {
    const { createGoogleServer } = await import('./server.ts')
    return createGoogleServer({
      write: flagValue(values, 'write'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      base: textValue(values, 'base'),
      tokenEnv: textValue(values, 'tokenEnv'),
      tokenUrl: textValue(values, 'tokenUrl'),
      maxCharacters: countValue(values, 'maxCharacters'),
      maxWaitMs: countOrNone(values, 'maxWaitMs'),
      maxResponseBytes: countValue(values, 'maxResponseBytes'),
      timeoutMs: countValue(values, 'timeoutMs'),
      allowPrivate: listValue(values, 'allowPrivate'),
    })
  },
}
