/**
 * `connect(target)`: from a URL, a program, a server in this process or a channel to a client that is ready. Sorts out
 * what kind of target it is; the rest is done by connectors and by the client itself.
 */

import { Client } from '../client/client.ts'
import type { Connector } from '../client/connection.ts'
import type { Channel } from '../jsonrpc/channel.ts'
import { PorticoError } from '../jsonrpc/errors.ts'
import { tellObserver } from '../jsonrpc/observer.ts'
import { CONNECT, type Connectable, isConnectable } from '../session/connectable.ts'
import { createMemoryChannels } from '../transport/memory.ts'
import { answerLimits } from './answer-limits.ts'
import { withPatience } from './auth.ts'
import { ChannelLink } from './channel-link.ts'
import { type ConnectorOptions, createChannelConnector, createHttpConnector } from './connectors.ts'
import { requireKnownNames } from './option-names.ts'
import type { CommandTarget, ConnectOptions, Target } from './options.ts'
import { createWebSocketOpener, hasHeaders } from './websocket-link.ts'

/**
 * Connects to a server and settles the newest revision that both sides have. A server in this process gives
 * `client.tools` its types; for one elsewhere, `connect<typeof server>(…)` does.
 *
 * @example
 * ```ts
 * import { connect } from '@portico/sdk/client'
 *
 * const client = await connect({ command: 'node', args: ['weather.js'] }) // or 'https://mcp.example.com/mcp'
 * const { content } = await client.callTool('forecast', { city: 'Oslo' })
 * await client.close()
 * ```
 */
export async function connect<S = unknown>(
  target: Exclude<Target, Connectable> | (S & Connectable),
  options: ConnectOptions = {},
): Promise<Client<WithTools<S>>> {
  requireKnownNames(options)
  const client = new Client<WithTools<S>>(createConnector(target, options), withPatience(options))
  const { signal } = options
  const aborted = () => void client.close()
  if (signal?.aborted) aborted()
  signal?.addEventListener('abort', aborted, { once: true })
  try {
    return await client.ready()
  } catch (error) {
    await client.close()
    if (!signal?.aborted) throw error
    throw new PorticoError('aborted', 'Connecting was cancelled', { cause: signal.reason, delivery: 'not-sent' })
  } finally {
    signal?.removeEventListener('abort', aborted)
  }
}

/** The type of a server, or what is known of one elsewhere; of any other target nothing is. */
type WithTools<S> = '~tools' extends keyof S ? S : unknown

export function createConnector(target: Target, options: ConnectOptions): Connector {
  if (typeof target === 'string' || target instanceof URL) return forUrl(target, options)
  if (typeof target === 'object' && target !== null && isConnectable(target)) {
    const settings: ConnectorOptions = { label: 'memory', key: undefined, reopens: true, restarts: false, options }
    const byReference = options.transfer === 'reference'
    return createChannelConnector(settings, async () => {
      const [near, far] = createMemoryChannels({ byReference, answerLimits: answerLimits(options) })
      target[CONNECT](near)
      return new ChannelLink(far)
    })
  }
  if (typeof target === 'object' && target !== null) {
    if ('command' in target) return forCommand(target, options)
    if (typeof target.open === 'function' && typeof target.send === 'function') return forChannel(target, options)
  }
  throw unusable(`${describe(target)} is nothing to connect to: give a URL, { command }, a server or a channel`)
}

function forUrl(target: string | URL, options: ConnectOptions): Connector {
  if (typeof target === 'string' && !URL.canParse(target)) throw unusable(`${JSON.stringify(target)} is no URL`)
  const url = new URL(target)
  const label = `${url.protocol}//${url.host}${url.pathname}`
  const settings: ConnectorOptions = { label, key: url.href, reopens: true, restarts: false, options }
  switch (url.protocol) {
    case 'http:':
    case 'https:':
      return createHttpConnector(settings, url)
    case 'ws:':
    case 'wss:':
      return createChannelConnector(settings, createWebSocketOpener(url, options))
    case 'tcp:':
    case 'unix:':
      requirePlain(url, options)
      return createChannelConnector(settings, async (signal) => {
        requireNode('Sockets')
        const { openSocketChannel } = await import('../transport/socket-client.ts')
        return new ChannelLink(await openSocketChannel(url, signal, answerLimits(options)))
      })
    default:
      throw unusable(`${url.protocol} is not a way to reach a server`)
  }
}

function forCommand(target: CommandTarget, options: ConnectOptions): Connector {
  const { command, args = [], env, cwd } = target
  // The environment is left out of the key: it may hold secrets, and says nothing about revisions.
  const key = JSON.stringify(['stdio', command, args, cwd])
  const settings: ConnectorOptions = { label: `stdio:${command}`, key, reopens: true, restarts: true, options }
  return createChannelConnector(settings, async () => {
    requireNode('Programs')
    const { spawnChannel } = await import('../transport/child-process/child-process.ts')
    const channel = spawnChannel({ command, args, env, cwd, limits: answerLimits(options) })
    tellObserver(() => options.onProcess?.(channel))
    return new ChannelLink(channel, channel)
  })
}

/** A channel is there once: when it ends, so does the client. */
function forChannel(channel: Channel, options: ConnectOptions): Connector {
  const settings: ConnectorOptions = { label: channel.label, key: undefined, reopens: false, restarts: false, options }
  let used = false
  return createChannelConnector(settings, async () => {
    if (used) throw new PorticoError('closed', 'The channel has been used', { delivery: 'not-sent' })
    used = true
    return new ChannelLink(channel)
  })
}

/** Better than to connect as nobody: a socket has no request to put them on. */
function requirePlain({ protocol }: URL, options: ConnectOptions): void {
  const other = (['tls', 'auth'] as const).find((name) => options[name] !== undefined)
  const given = hasHeaders(options) ? 'headers' : other
  if (given !== undefined) throw unusable(`\`${given}\` cannot be sent over ${protocol}, only over HTTP and WebSocket`)
}

function describe(target: unknown): string {
  return typeof target === 'object' && target !== null
    ? `An object with ${Object.keys(target).join(', ') || 'nothing in it'}`
    : String(target)
}

/** Bundles for browsers and workers leave out what needs an operating system. */
function requireNode(what: string): void {
  const { process } = globalThis as { process?: { versions?: { node?: string } } }
  if (process?.versions?.node === undefined)
    throw unusable(`${what} cannot be reached from here: that needs Node, Bun or Deno`)
}

function unusable(message: string): PorticoError {
  return new PorticoError('connect-failed', message, { delivery: 'not-sent' })
}
