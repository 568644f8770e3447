/** The browser server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'browser',
  about: 'Drive a real page: navigate, read, click, type, screenshot; public web only, asks before forms are sent',
  options: {
    executable: { type: 'string', about: 'Chromium, Chrome or Edge', fallback: 'looked for in the usual places' },
    allow: { type: 'string', multiple: true, about: 'Hosts to reach, *.example.com', fallback: 'the public web' },
    deny: { type: 'string', multiple: true, about: 'Hosts not to reach', fallback: 'none' },
    allowPrivate: { type: 'string', multiple: true, about: 'host:port on a private address that may be reached' },
    allowUnasked: {
      type: 'boolean',
      about: 'Send forms and type passwords for clients that cannot ask their user',
      fallback: 'false',
    },
    uploads: { type: 'string', about: 'Folder whose files pages may be given, asked each time', fallback: 'none' },
    noSandbox: { type: 'boolean', about: 'Run the browser without its own sandbox, as root must', fallback: 'false' },
    maxPages: { type: 'number', about: 'Tabs of one user', fallback: '5' },
    maxUsers: { type: 'number', about: 'Users with tabs at one time', fallback: '10' },
    timeoutMs: { type: 'number', about: 'How long one step may take', fallback: '15000' },
    maxScreenshotBytes: { type: 'number', about: 'Bytes of one screenshot', fallback: '4000000' },
    structured: STRUCTURED,
  },
  async create(values) {
    const { createBrowserServer } = await import('./server.ts')
    return createBrowserServer({
      structured: flagValue(values, 'structured'),
      executable: textValue(values, 'executable'),
      allow: listValue(values, 'allow'),
      deny: listValue(values, 'deny'),
      allowPrivate: listValue(values, 'allowPrivate'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      uploads: textValue(values, 'uploads'),
      noSandbox: flagValue(values, 'noSandbox'),
      maxPages: countValue(values, 'maxPages'),
      maxUsers: countValue(values, 'maxUsers'),
      timeoutMs: countValue(values, 'timeoutMs'),
      maxScreenshotBytes: countValue(values, 'maxScreenshotBytes'),
    })
  },
}
