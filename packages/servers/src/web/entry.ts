/** The web server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'web',
  about: 'Read public pages of the web as Markdown: links, sitemaps, a small crawl; robots rules kept',
  options: {
    allow: { type: 'string', multiple: true, about: 'Hosts to fetch from, *.example.com', fallback: 'all' },
    deny: { type: 'string', multiple: true, about: 'Hosts not to fetch from', fallback: 'none' },
    respectRobots: { type: 'boolean', about: 'Keep to what sites ask of robots', fallback: 'true' },
    maxBytes: { type: 'number', about: 'Bytes of one page, unpacked', fallback: '5000000' },
    timeoutMs: { type: 'number', about: 'How long one request may take', fallback: '20000' },
    parseTimeoutMs: { type: 'number', about: 'How long the parsing of one page may take', fallback: '5000' },
    userAgent: { type: 'string', about: 'How the server names itself to sites', fallback: 'portico-web/0.1.0' },
    maxPages: { type: 'number', about: 'Pages of one crawl', fallback: '25' },
    crawlDelayMs: { type: 'number', about: 'Time between two pages of a crawl', fallback: '500' },
    allowPrivate: { type: 'string', multiple: true, about: 'host:port on a private address that may be reached' },
    structured: STRUCTURED,
  },
  async create(values) {
    const { createWebServer } = await import('./server.ts')
    return createWebServer({
      structured: flagValue(values, 'structured'),
      allow: listValue(values, 'allow'),
      deny: listValue(values, 'deny'),
      respectRobots: flagValue(values, 'respectRobots'),
      maxBytes: countValue(values, 'maxBytes'),
      timeoutMs: countValue(values, 'timeoutMs'),
      parseTimeoutMs: countValue(values, 'parseTimeoutMs'),
      userAgent: textValue(values, 'userAgent'),
      maxPages: countValue(values, 'maxPages'),
      crawlDelayMs: countValue(values, 'crawlDelayMs'),
      allowPrivate: listValue(values, 'allowPrivate'),
    })
  },
}
