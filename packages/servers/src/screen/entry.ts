/** The screen server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { countOrNone, countValue, flagValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'screen',
  about: 'Screenshots of screens and windows as resources with updates, after the user agreed',
  options: {
    ask: { type: 'boolean', about: 'Ask before the first capture', fallback: 'true' },
    allowUnasked: { type: 'boolean', about: 'Capture for clients that cannot ask their user', fallback: 'false' },
    consentMs: { type: 'number', about: 'How long a yes holds', fallback: '3600000' },
    watchMs: { type: 'number', about: 'How often to look while somebody is subscribed', fallback: '2000' },
    maxBytes: { type: 'number', about: 'Bytes of one picture', fallback: '20000000' },
    keepCaptures: { type: 'number', about: 'Pictures kept as resources while a yes holds', fallback: '10' },
    maxKeptBytes: { type: 'number', about: 'Bytes of all that are kept', fallback: '50000000' },
    timeoutMs: { type: 'number', about: 'How long one capture may take', fallback: '15000' },
    display: { type: 'string', about: 'X11 or Wayland display', fallback: 'from the environment' },
    structured: STRUCTURED,
  },
  async create(values) {
    const { createScreenServer } = await import('./server.ts')
    return createScreenServer({
      structured: flagValue(values, 'structured'),
      ask: flagValue(values, 'ask'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      consentMs: countValue(values, 'consentMs'),
      watchMs: countValue(values, 'watchMs'),
      maxBytes: countValue(values, 'maxBytes'),
      keepCaptures: countOrNone(values, 'keepCaptures'),
      maxKeptBytes: countValue(values, 'maxKeptBytes'),
      timeoutMs: countValue(values, 'timeoutMs'),
      display: textValue(values, 'display'),
    })
  },
}
