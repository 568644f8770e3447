/**
 * Signing in to protected servers. Connecting by itself never opens a page: a server that wants to know who the user is
 * waits as `needs-sign-in` until they say so, and then the page opens in their own browser, out of reach of this program
 * (sec-105). Also brings client certificates to the connections that are configured with one.
 */

import { readFile } from 'node:fs/promises'
import { join, resolve as resolvePath } from 'node:path'
import {
  authorizationCode,
  createMemoryTokenStore,
  type TlsIdentity,
  type TokenStore,
  type UserAgent,
} from '@portico/sdk/auth'
import { createFileTokenStore, createLoopbackUserAgent, openBrowser } from '@portico/sdk/auth-node'
import type { JsonObject } from '@portico/sdk/server'
import type { ServerConfig } from '../config/server-config.ts'
import { HostError } from '../errors.ts'
import type { ResolvedTarget, TargetResolver } from '../upstream/connection/resolve.ts'

/**
 * One step of signing in to a server, for showing how far it got and where it failed; `at` is in milliseconds since
 * 1970.
 */
export interface SignInStep {
  readonly at: number
  readonly step: string
  readonly status: 'ok' | 'failed' | 'waiting'
  readonly detail: string
}

/**
 * How the user signs in to servers that are protected by OAuth: where tokens are kept and how the sign-in page is
 * opened.
 */
export interface SignInOptions {
  /** Where tokens are kept, encrypted; in memory without it. */
  readonly stateDir?: string
  /** In place of a folder: where several hosts share them. */
  readonly store?: TokenStore | undefined
  /** Shows a page to the user; the system's browser unless given. `added` are the permissions that are new, if only these are needed. */
  readonly openPage?: (page: URL, added?: readonly string[]) => Promise<boolean>
  /**
   * Where the person comes back to, and how the page is shown, in place of a browser on this machine: for a program whose
   * people sit elsewhere. Asked for once in each sign-in; it is closed when that is over.
   */
  readonly userAgent?: (server: string) => UserAgent
  readonly clientName?: string
  readonly clientMetadataUrl?: string
}

const MAX_STEPS = 50

export class SignIn {
  readonly #options: SignInOptions
  readonly #store: TokenStore
  readonly #agents = new Map<string, UserAgent>()
  readonly #steps = new Map<string, SignInStep[]>()

  constructor(options: SignInOptions) {
    this.#options = options
    this.#store =
      options.store ??
      (options.stateDir === undefined
        ? createMemoryTokenStore()
        : createFileTokenStore({ folder: join(options.stateDir, 'tokens') }))
  }

  /** Lets the next connection to a server show its page; `connect` is what makes that connection. */
  async during(server: string, connect: () => Promise<unknown>): Promise<void> {
    const agent = this.#options.userAgent?.(server) ?? this.#loopback()
    this.#agents.set(server, agent)
    this.#note(server, 'Asked to sign in', 'waiting', 'Connecting again, with leave to open a page')
    try {
      await connect()
      this.#note(server, 'Signed in', 'ok', 'The server accepted the token')
    } catch (error) {
      this.#note(server, 'Not signed in', 'failed', error instanceof Error ? error.message : String(error))
      throw error
    } finally {
      // A later sign-in to the same server has an agent of its own there by now.
      if (this.#agents.get(server) === agent) this.#agents.delete(server)
      agent.close?.()
    }
  }

  #loopback(): UserAgent {
    return createLoopbackUserAgent({ openPage: this.#options.openPage ?? openBrowser })
  }

  steps(server: string): readonly SignInStep[] {
    return this.#steps.get(server) ?? []
  }

  /** Adds to a resolver what protected servers need: tokens got by signing in, and certificates. */
  wrap(plain: TargetResolver): TargetResolver {
    return async (config, request) => {
      const resolved = await plain(config, request)
      const { target } = config
      if (target.kind !== 'http' && target.kind !== 'sse') return resolved
      const tls = config.settings.tls === undefined ? undefined : await readTls(config.settings.tls, config)
      const options = { ...resolved.options, ...(tls !== undefined && { tls }) }
      if (hasCredential(resolved)) return { ...resolved, options }
      return { ...resolved, options: { ...options, auth: this.#auth(config, request.principal?.id) } }
    }
  }

  #auth({ name, settings }: ServerConfig, principal = ''): NonNullable<ResolvedTarget['options']>['auth'] {
    const { clientId, scopes } = (settings.auth ?? {}) as { clientId?: unknown; scopes?: unknown }
    const { clientName = 'Portico', clientMetadataUrl } = this.#options
    return {
      grant: authorizationCode({
        userAgent: this.#gate(name),
        clientName,
        ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
        ...(typeof clientId === 'string' && { client: { clientId } }),
      }),
      store: this.#store,
      principal,
      ...(Array.isArray(scopes) && { scopes: scopes.map(String) }),
    }
  }

  /** The user's browser while they are signing in to this server, and a plain no at all other times. */
  #gate(server: string): UserAgent {
    return {
      redirectUri: () => this.#agentOf(server).redirectUri(),
      open: async (url, signal, added) => {
        const agent = this.#agentOf(server)
        this.#note(
          server,
          'Page opened',
          'waiting',
          `${url.host} asks the user${added === undefined ? '' : ' for more permissions'}`,
        )
        const params = await agent.open(url, signal, added)
        this.#note(server, 'User came back', 'ok', `${url.host} sent the user back`)
        return params
      },
    }
  }

  #agentOf(server: string): UserAgent {
    const agent = this.#agents.get(server)
    if (agent !== undefined) return agent
    throw new HostError('unavailable', `"${server}" needs you to sign in`, {
      data: {
        state: 'needs-sign-in',
        remedy: `Sign in: \`portico servers sign-in ${server}\`, or the button in the workbench.`,
      },
    })
  }

  #note(server: string, step: string, status: SignInStep['status'], detail: string): void {
    const steps = this.#steps.get(server) ?? []
    this.#steps.set(server, [...steps, { at: Date.now(), step, status, detail }].slice(-MAX_STEPS))
  }
}

function hasCredential({ options }: ResolvedTarget): boolean {
  const headers = options?.headers
  if (typeof headers !== 'object' || headers === null) return false
  return Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')
}

/** Paths in `tls` are read at the moment of connecting, so that a renewed certificate counts from then on. */
async function readTls(tls: JsonObject, { name, place }: ServerConfig): Promise<TlsIdentity> {
  const identity: { [part: string]: Buffer | string } = {}
  for (const part of ['cert', 'key', 'ca'] as const) {
    const path = tls[part]
    if (typeof path !== 'string') continue
    try {
      identity[part] = await readFile(resolvePath(path))
    } catch (cause) {
      throw new HostError('invalid-config', `"${name}": tls.${part} cannot be read (${place.file} ${place.path})`, {
        cause,
      })
    }
  }
  return identity
}
