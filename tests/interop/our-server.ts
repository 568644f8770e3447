/**
 * The server under test, by the public doors: one definition that uses every feature the protocol has. The servers in
 * `peers/` offer the same names on the official packages, so that the checks apply to all of them.
 */

import { createServer, type ProtocolVersion, type Server, type ServerOptions, tool } from '@portico/sdk/server'
import { createMemoryStore, type Store } from '@portico/sdk/state'
import { createAskingTools } from './ours/asking.ts'
import { createChangingTools, Grown } from './ours/changing.ts'
import { createCounts } from './ours/counts.ts'
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

/** What its replicas share. */
export interface SharedParts extends Pick<ServerOptions, 'roundStore' | 'stateKeys'> {
  readonly store: Store
}

export function createInteropServer(options: InteropServerOptions = {}, shared?: SharedParts): Server {
  const { store = createMemoryStore(), ...rounds } = shared ?? {}
  const counts = createCounts(store)
  const grown = new Grown(store, () => server)
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
    ...rounds,
    tools: {
      ...contentTools,
      ...createWorkTools(counts),
      ...createAskingTools(counts),
      ...createChangingTools(() => server, grown),
      roots_heard: tool({ description: 'How often the client said that its roots changed' }, async () =>
        String(await counts.get('roots')),
      ),
    },
    resources: createResources(counts),
    prompts,
  })
  grown.follow()
  server.onRootsChanged(() => void counts.add('roots'))
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
