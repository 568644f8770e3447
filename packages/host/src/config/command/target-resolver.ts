/** `resolveTarget` in the shape that a connection is made from: what `connect` takes, and the options that go with it. */

import type { CommandTarget, ConnectOptions } from '@portico/sdk/client'
import { HostError } from '../../errors.ts'
import type { ServerConfig } from '../server-config.ts'
import { type ConcreteTarget, type ResolveContext, resolveTarget } from './resolve-target.ts'

/** What `connect` takes for a server: a URL or a command, and the options that go with it. */
export interface ConnectableTarget {
  readonly target: string | CommandTarget
  readonly options: Pick<ConnectOptions, 'headers'>
}

/**
 * Makes the function that turns a server's entry into what `connect` takes. It looks up variables and secrets anew for
 * each connection, so that a changed secret counts from the next one on.
 *
 * @example
 * ```ts
 * import { createTargetResolver, secretsFromEnvironment } from '@portico/host/config'
 * import { createUpstreams } from '@portico/host/upstream'
 *
 * const resolve = createTargetResolver({ secrets: secretsFromEnvironment(process.env), workspaceFolder: process.cwd() })
 * const upstreams = createUpstreams({ resolve })
 * ```
 */
export function createTargetResolver(
  context: ResolveContext = {},
): (config: ServerConfig) => Promise<ConnectableTarget> {
  return async (config) => toConnectable(await resolveTarget(config, context))
}

export function toConnectable(resolved: ConcreteTarget): ConnectableTarget {
  if (resolved.kind === 'in-process') {
    throw new HostError('invalid-config', `No server called ${JSON.stringify(resolved.module)} is built in`)
  }
  if (resolved.kind !== 'stdio') return { target: resolved.url, options: { headers: resolved.headers } }
  const { command, args, env, cwd } = resolved
  return { target: { command, args, env, ...(cwd !== undefined && { cwd }) }, options: {} }
}
