/**
 * The server under test, by the public doors: one definition that uses every feature the protocol has. The servers in
 * `peers/` offer the same names on the official packages, so that the checks apply to all of them.
 */

import { createServer, type Server } from '@portico/sdk/server'
import { askingTools } from './ours/asking.ts'
import { createChangingTools } from './ours/changing.ts'
import { prompts } from './ours/prompts.ts'
import { resources } from './ours/resources.ts'
import { contentTools } from './ours/tools.ts'
import { createWorkTools } from './ours/work.ts'
import { INSTRUCTIONS } from './vocabulary.ts'

export interface InteropServerOptions {
  /** Splits every list into pages of this size. */
  readonly pageSize?: number
}

export function createInteropServer(options: InteropServerOptions = {}): Server {
  const server: Server = createServer({
    name: 'portico-interop',
    version: '1.0.0',
    title: 'Interop',
    icons: [{ src: 'https://example.com/bell.png', mimeType: 'image/png', sizes: ['48x48'] }],
    instructions: INSTRUCTIONS,
    cache: { lists: { ttlMs: 0 }, reads: { ttlMs: 0 } },
    experimental: { 'com.example/bell': { rings: 2 } },
    onError: () => {},
    ...options,
    tools: {
      ...contentTools,
      ...createWorkTools(),
      ...askingTools,
      ...createChangingTools(() => server),
    },
    resources,
    prompts,
  })
  return server
}
