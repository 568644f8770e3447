/**
 * One server behind a gateway of its own, however it is named: what `bridge` and `record` put between a client and the
 * server. No rules apply here: the person has named the server, and the client at the other end asks its own user.
 */

import { join } from 'node:path'
import { createTargetResolver, defineServer, firstSecret, type ServerConfig } from '@portico/host/config'
import { createGateway, type Gateway } from '@portico/host/gateway'
import {
  createCatalogue,
  createUpstreams,
  type QuestionHandlers,
  type TargetResolver,
  type Upstreams,
} from '@portico/host/upstream'
import { authorizationCode, type UserAgent } from '@portico/sdk/auth'
import { createFileTokenStore, createLoopbackUserAgent } from '@portico/sdk/auth-node'
import { type Client, type ConnectOptions, RpcError } from '@portico/sdk/client'
import { METHOD_NOT_FOUND } from '@portico/sdk/internal'
import { loadDefinition } from '../../definition/load.ts'
import { CliError } from '../../exit-codes.ts'
import { stateOf } from '../host-places.ts'
import { openPageOf } from '../sign-in.ts'
import { labelOf, type TargetKind } from '../target/target-kind.ts'
import { toConfig, toUnreachable } from '../target/unreachable.ts'
import type { Io } from '../terminal/io.ts'

interface SingleGatewayOptions {
  readonly headers?: { readonly [name: string]: string }
  /** Variables for the program, besides those that every program gets. */
  readonly env?: { readonly [name: string]: string }
  readonly clientId?: string
  readonly scopes?: readonly string[]
  /** Whether callers on a port may stay unnamed. */
  readonly allowAnonymous?: boolean
  /** Called with the connections before any of them is made. */
  readonly watch?: (upstreams: Upstreams) => void
}

export interface SingleGateway {
  readonly gateway: Gateway
  readonly config: ServerConfig
  /** The first connection; rejects when it cannot be made. */
  readonly ready: Promise<Client>
  close(): Promise<void>
}

/** Sign-in by a person takes as long as it takes; how long is the authorization server's to say. */
const SIGN_IN_MS = 10 * 60_000
/** How long to wait for the server before clients are let in: its name and instructions are known by then, mostly. */
const PATIENCE_MS = 5_000
const LISTS = ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list'] as const

export async function openSingleGateway(
  target: TargetKind,
  io: Io,
  options: SingleGatewayOptions = {},
): Promise<SingleGateway> {
  const config = await configOf(target, io, options)
  const agent = createLoopbackUserAgent({ openPage: openPageOf(io) })
  const upstreams = createUpstreams({ ...(await waysTo(target, { config, agent }, io, options)) })
  options.watch?.(upstreams)
  const catalogue = createCatalogue(upstreams)
  const close = async (): Promise<void> => {
    await catalogue.close()
    await upstreams.close()
    agent.close?.()
  }
  try {
    await upstreams.set([config])
    const ready = connected(upstreams, config.name, target, io)
    const client = await within(ready, PATIENCE_MS)
    const info = client?.server.info
    const gateway = createGateway(
      { upstreams, catalogue },
      {
        name: info?.name ?? config.name,
        version: info?.version ?? '0',
        ownNames: true,
        // Servers may show more to clients that can be asked, so each caller lists for itself. Another process for that
        // would take longer than clients wait: those of a program are what it shows to a client that can do everything.
        personal: () => config.target.kind !== 'stdio',
        allowAnonymous: options.allowAnonymous === true,
        onError: (error) => io.env.PORTICO_DEBUG === '1' && io.say(String(error)),
      },
    )
    const listed = ready.then(() => catalogue.list())
    listed.catch(() => {})
    // Many clients list once and never again: better a late list than an empty one.
    for (const method of LISTS) gateway.server.use(method, (_request, next) => listed.then(() => next()))
    return {
      gateway,
      config,
      ready,
      close: async () => {
        await gateway.close(1_000)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** `NAME=value`, or `NAME` for the value that we have ourselves. */
export function readVariables(given: unknown, io: Pick<Io, 'env'>): { readonly [name: string]: string } {
  const words: string[] = Array.isArray(given) ? given : []
  return Object.fromEntries(
    words.map((word): [string, string] => {
      const at = word.indexOf('=')
      if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
      const value = io.env[word]
      if (value !== undefined) return [word, value]
      throw new CliError('usage', `--env ${word}: there is no such variable here`, 'Write --env NAME=value, or set it.')
    }),
  )
}

async function configOf(target: TargetKind, io: Io, options: SingleGatewayOptions): Promise<ServerConfig> {
  const { headers = {}, env = {} } = options
  // What the person names may change without asking them again, and signing in may take its time.
  const settings = { trusted: true, startMs: SIGN_IN_MS, callMs: SIGN_IN_MS }
  if (target.kind === 'name') {
    const { findServer, readConfig } = await import('../host.ts')
    const { name, target: found, settings: own } = findServer(await readConfig(io), target.name, [])
    return defineServer(name, found, { ...own, ...settings, disabled: false, lazy: false })
  }
  const plain = toConfig(target)
  if (plain.kind === 'stdio') return defineServer(nameOf(target), { ...plain, env, cwd: io.cwd }, settings)
  if (plain.kind === 'in-process') return defineServer(nameOf(target), plain, settings)
  return defineServer(nameOf(target), { ...plain, headers }, settings)
}

async function waysTo(
  target: TargetKind,
  { config, agent }: { readonly config: ServerConfig; readonly agent: UserAgent },
  io: Io,
  options: SingleGatewayOptions,
): Promise<Parameters<typeof createUpstreams>[0]> {
  const plain = target.kind === 'name' ? await configuredResolver(io) : resolveTyped
  const file = target.kind === 'file' ? target.file : undefined
  const { builtInServers } = await import('../target/built-in-servers.ts')
  return {
    inProcess: file === undefined ? await builtInServers() : new Map([[file, () => loadDefinition(file, io)]]),
    questions: () => ABLE,
    resolve: async (entry, wish) => {
      const resolved = await plain(entry, wish)
      if (config.target.kind !== 'http' && config.target.kind !== 'sse') return resolved
      if (hasCredential(config.target.headers)) return resolved
      return { ...resolved, options: { ...resolved.options, ...signIn(agent, io, options) } }
    },
  }
}

function refuse(): never {
  throw new RpcError(METHOD_NOT_FOUND, 'Nobody is here to answer outside of a call')
}

const ABLE: QuestionHandlers = {
  elicitation: { form: refuse, url: refuse },
  sampling: { handler: refuse, tools: true, context: true },
  roots: () => [],
}

/** Words that were typed mean themselves: no variables, no secrets. */
const resolveTyped: TargetResolver = async ({ target }) => {
  if (target.kind === 'stdio') {
    const { command, args, env, cwd } = target
    return { target: { command, args, env, cwd } }
  }
  if (target.kind === 'in-process') throw new CliError('not-found', `There is no server "${target.module}"`)
  return { target: target.url, options: { headers: target.headers } }
}

async function configuredResolver(io: Io): Promise<TargetResolver> {
  const { createSecretStore, secretsFromEnvironment } = await import('@portico/host/config')
  const secrets = firstSecret(secretsFromEnvironment(io.env), createSecretStore({ file: join(stateOf(io), 'secrets') }))
  return createTargetResolver({ env: io.env, secrets, workspaceFolder: io.cwd })
}

function signIn(agent: UserAgent, io: Io, { clientId, scopes }: SingleGatewayOptions): ConnectOptions {
  return {
    auth: {
      grant: authorizationCode({
        userAgent: agent,
        clientName: 'Portico',
        ...(clientId !== undefined && { client: { clientId } }),
      }),
      store: createFileTokenStore({ folder: join(stateOf(io), 'tokens') }),
      ...(scopes !== undefined && scopes.length > 0 && { scopes }),
    },
    timeouts: { connectMs: SIGN_IN_MS },
  }
}

async function connected(upstreams: Upstreams, name: string, target: TargetKind, io: Io): Promise<Client> {
  try {
    return await upstreams.client(name, { signal: io.signal })
  } catch (error) {
    if (io.signal.aborted) throw new CliError('interrupted', 'Interrupted')
    throw target.kind === 'name' ? error : await toUnreachable(causeOf(error), target, io)
  }
}

/** The host says that a server is unavailable; why it is, is underneath. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error
}

async function within<Value>(work: Promise<Value>, ms: number): Promise<Value | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Short and plain: it is part of messages and of names that have to be told apart. */
function nameOf(target: TargetKind): string {
  const plain = labelOf(target)
    .replace(/\.[cm]?[jt]s$/, '')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^-+|(?<!-)-+$/g, '')
  return plain.slice(0, 64) || 'server'
}

function hasCredential(headers: { readonly [name: string]: string }): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}
