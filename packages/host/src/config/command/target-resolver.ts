/** `resolveTarget` in the shape that a connection is made from: what `connect` takes, and the options that go with it. */

import type { CommandTarget, ConnectOptions } from '@portico/sdk/client'
import { HostError } from '../../errors.ts'
import type { ServerConfig } from '../server-config.ts'
import { type ConcreteTarget, type ResolveContext, resolveTarget } from './resolve-target.ts'

export interface ConnectableTarget {
  readonly target: string | CommandTarget
  readonly options: Pick<ConnectOptions, 'headers'>
}

/** Looks everything up anew for each connection, so that a secret that was changed counts from the next one on. */
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
