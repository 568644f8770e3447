/**
 * From an entry of the configuration to something that can be connected to. Variables and secrets are the business of
 * `config/`; without its resolver an entry is taken word for word.
 */

import type { ConnectOptions, Target } from '@portico/sdk/client'
import type { JsonObject, Server } from '@portico/sdk/server'
import type { ServerConfig } from '../../config/server-config.ts'
import { HostError } from '../../errors.ts'
import type { ConnectionRequest } from '../upstream.ts'

/** What `connect` takes for a server: its command or address, and the options of the connection. */
export interface ResolvedTarget {
  readonly target: Target
  readonly options?: ConnectOptions
}

/** Makes a target of an entry, at the moment of connecting. In-process entries that are registered do not come here. */
export type TargetResolver = (config: ServerConfig, request: ConnectionRequest) => Promise<ResolvedTarget>

/** A server in this process, with whatever it holds open behind it. */
export interface InProcessServer {
  readonly server: Server
  close?(): Promise<void>
}

/** Makes a server that runs in this process, from the options of its entry in the configuration. */
export type InProcessFactory = (options: JsonObject) => Promise<InProcessServer>

/** Takes the entry as it is written. */
export const resolvePlainly: TargetResolver = async ({ name, target, place }) => {
  switch (target.kind) {
    case 'stdio': {
      const { command, args, env, cwd } = target
      return { target: { command, args, env, cwd } }
    }
    case 'http':
    case 'sse':
    case 'websocket': {
      if (URL.canParse(target.url)) {
        return { target: target.url, options: { headers: target.headers } }
      }
      const message = `"${name}" has no usable URL (${place.file} ${place.path})`
      throw new HostError('invalid-config', message, { data: { problems: [message] } })
    }
    case 'in-process':
      throw new HostError('invalid-config', `No server "${target.module}" is built in or registered`, {
        data: { problems: [`"${name}" names an unknown module (${place.file} ${place.path})`] },
      })
  }
}
