/**
 * What can be seen of a server, put together from its state, its client and its counts. Its own words are made safe, the
 * long ones only when they are looked at: views are made for every call.
 */

import type { Client, ProcessView } from '@portico/sdk/client'
import type { ServerConfig } from '../../config/server-config.ts'
import type { RequestLimiter } from '../connection/request-limiter.ts'
import { identityOf } from '../identity.ts'
import type { UpstreamState, UpstreamView } from '../upstream.ts'
import { bounded, neutralise } from './text.ts'

interface Seen {
  readonly config: ServerConfig
  readonly state: UpstreamState
  /** The connected client, where there is one. */
  readonly client: Client | undefined
  /** The program that was started last. */
  readonly process: ProcessView | undefined
  readonly limiter: Pick<RequestLimiter, 'calls' | 'errors' | 'latencyMs'>
  readonly connections: number
}

const MAX_INSTRUCTIONS = 8_000
const MAX_STDERR = 65_536

export function createView({ config, state, client, process, limiter, connections }: Seen): UpstreamView {
  const { info, instructions, capabilities } = client?.server ?? {}
  return {
    name: config.name,
    config,
    state,
    ...(client !== undefined && { version: client.version }),
    ...(info !== undefined && {
      serverInfo: {
        name: clean(info.name, 200),
        version: clean(info.version, 100),
        ...(typeof info.title === 'string' && { title: clean(info.title, 200) }),
      },
    }),
    ...(client !== undefined && process?.pid !== undefined && { pid: process.pid }),
    ...(limiter.latencyMs !== undefined && { latencyMs: limiter.latencyMs }),
    calls: limiter.calls,
    errors: limiter.errors,
    connections,
    get instructions() {
      return instructions === undefined ? undefined : clean(instructions, MAX_INSTRUCTIONS)
    },
    get identity() {
      return identityOf(info, capabilities?.experimental)
    },
    get stderrTail() {
      const tail = process?.stderrTail() ?? ''
      return tail === '' ? undefined : neutralise(tail.slice(-MAX_STDERR)).text
    },
  }
}

function clean(text: string, most: number): string {
  return neutralise(bounded(text, most)).text
}
