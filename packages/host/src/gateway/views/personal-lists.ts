/** The lists of servers that show each user items of their own: which a caller has not seen yet, and reading those. */

import type { RequestContext } from '@portico/sdk/server'
import type { UpstreamView } from '../../upstream/upstream.ts'
import type { CallerConnection } from '../connections/caller-connection.ts'
import type { CallerConnections } from '../connections/caller-connections.ts'
import type { GatewayHost } from '../gateway-host.ts'
import type { CallerSignIn } from '../sign-in/sign-in.ts'
import { callerOf } from './toolset.ts'

const PERSONAL_MS = 5_000

interface PersonalListsParts {
  readonly upstreams: GatewayHost['upstreams']
  readonly connections: CallerConnections
  /** Whether a server shows each user items of their own; undefined when none does. */
  readonly personal: ((server: UpstreamView) => boolean) | undefined
  readonly signIn: CallerSignIn | undefined
}

export class PersonalLists {
  readonly #parts: PersonalListsParts

  constructor(parts: PersonalListsParts) {
    this.#parts = parts
  }

  /** Servers that have shown this caller nothing yet. */
  unknownTo(ctx: RequestContext): readonly string[] {
    const { personal } = this.#parts
    return personal === undefined ? [] : this.#unread(personal, ctx).map(({ server }) => server)
  }

  /** Reads what is not known yet; a server that does not answer in time is left out for now. */
  read(ctx: RequestContext): Promise<void> | undefined {
    const { personal } = this.#parts
    return personal === undefined ? undefined : this.#read(personal, ctx)
  }

  #unread(personal: (server: UpstreamView) => boolean, ctx: RequestContext): CallerConnection[] {
    const { upstreams, connections } = this.#parts
    const views = upstreams.views().filter(personal)
    return views.map(({ name }) => connections.of(name, ctx)).filter(({ lists }) => lists.version === 0)
  }

  async #read(personal: (server: UpstreamView) => boolean, ctx: RequestContext): Promise<void> {
    const { signIn } = this.#parts
    const signal = AbortSignal.timeout(PERSONAL_MS)
    await Promise.all(
      this.#unread(personal, ctx).map(async (connection) => {
        try {
          const opening = connection.client(signal)
          // A list is no time to ask anybody to sign in: whoever has to is shown the tool for it.
          const client = signIn?.during(opening, connection.server, callerOf(ctx), async () => 'decline') ?? opening
          await connection.lists.refresh(await client)
        } catch {
          // The server is down, or does not know the caller yet: what it would show is missing.
        }
      }),
    )
  }
}
