/**
 * The server under test, by the public doors: one definition that uses every feature the protocol has. The servers in
 * `peers/` offer the same names on the official packages, so that the checks apply to all of them.
 */

import { createServer, type ProtocolVersion, type Server, tool } from '@portico/sdk/server'
import { askingTools } from './ours/asking.ts'
import { createChangingTools } from './ours/changing.ts'
import { prompts } from './ours/prompts.ts'
import { createResources } from './ours/resources.ts'
import { contentTools } from './ours/tools.ts'
import { createWorkTools } from './ours/work.ts'
import { INSTRUCTIONS } from './vocabulary.ts'

export interface InteropServerOptions {
  /** Splits every list into pages of this size. */
  readonly pageSize?: number
  /** The revisions to serve; all unless given. */
  readonly versions?: readonly ProtocolVersion[]
}

export function createInteropServer(options: InteropServerOptions = {}): Server {
  let rootsChanged = 0
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
      roots_heard: tool({ description: 'How often the client said that its roots changed' }, () =>
        String(rootsChanged),
      ),
    },
    resources: createResources(),
    prompts,
  })
  server.onRootsChanged(() => {
    rootsChanged += 1
  })
  server.mount('cellar', createCellar())
  return server
}

/** A second server, to be found inside the first. */
function createCellar(): Server {
  return createServer({
    name: 'cellar',
    version: '1.0.0',
    tools: { knock: tool({ description: 'Answers the door' }, () => 'who is there') },
  })
}
