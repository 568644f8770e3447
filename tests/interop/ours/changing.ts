/** Tools of the server under test that change it while clients are connected, at all of its replicas. */

import { prompt, resource, type Server, tool } from '@portico/sdk/server'
import type { Store } from '@portico/sdk/state'
import { z } from 'zod'

const KINDS = ['tool', 'prompt', 'resource'] as const
type Kind = (typeof KINDS)[number]
const LISTS = ['tools/list', 'prompts/list', 'resources/list'] as const

export function createChangingTools(server: () => Server, grown: Grown) {
  const input = z.object({ kind: z.enum(KINDS) })
  return {
    grow: tool({ description: 'Adds a tool, prompt or resource', input }, async ({ kind }) => {
      await grown.set(kind, true)
      return `added a ${kind}`
    }),
    shrink: tool({ description: 'Takes it away again', input }, async ({ kind }) =>
      String(await grown.set(kind, false)),
    ),
    touch: tool({ description: 'Changes a resource', input: z.object({ uri: z.string() }) }, ({ uri }) => {
      server().changed(uri)
      return `touched ${uri}`
    }),
  }
}

/** What has grown, by what the store says: whoever lists looks there first, so that all replicas list the same. */
export class Grown {
  readonly #store: Store
  readonly #server: () => Server
  readonly #here = new Set<Kind>()

  constructor(store: Store, server: () => Server) {
    this.#store = store
    this.#server = server
  }

  follow(): void {
    for (const method of LISTS) this.#server().use(method, (_request, next) => this.#look().then(() => next()))
  }

  /** Whether that was a change. */
  async set(kind: Kind, isThere: boolean): Promise<boolean> {
    await this.#look()
    const isChange = this.#here.has(kind) !== isThere
    await this.#store.write([{ key: `interop/grown/${kind}`, ...(isThere && { value: '1' }) }])
    await this.#look()
    return isChange
  }

  async #look(): Promise<void> {
    for (const kind of KINDS) {
      const isThere = (await this.#store.get(`interop/grown/${kind}`)) !== undefined
      if (isThere === this.#here.has(kind)) continue
      if (isThere) this.#here.add(kind)
      else this.#here.delete(kind)
      if (isThere) ADD[kind](this.#server())
      else this.#server().remove(kind, kind === 'resource' ? 'note://grown' : 'grown')
    }
  }
}

const ADD: { readonly [kind in Kind]: (server: Server) => unknown } = {
  tool: (server) =>
    server.tool(
      'grown',
      tool({ description: 'New here' }, () => 'grown'),
    ),
  prompt: (server) =>
    server.prompt(
      'grown',
      prompt({ description: 'New here' }, () => 'grown'),
    ),
  resource: (server) =>
    server.resource(
      'grown',
      resource({ uri: 'note://grown' }, () => 'grown'),
    ),
}
