/**
 * The network, where the operator opened it: which addresses git may reach, and with which credentials. A repository names its
 * remotes, and may have been made by anybody: its address is only ever compared with the operator's list, and a token is only
 * ever said to the hosts on it.
 */

import { join } from 'node:path'
import { PorticoError, ToolError } from '@portico/sdk/server'
import { redact } from './redact.ts'

/** How the network may be used, settled from options. */
export interface RemoteSettings {
  /** Origins: scheme, host and port. */
  readonly origins: readonly string[]
  readonly token: string | undefined
  readonly user: string
}

/** Hosts by name are reached by https; whoever wants plain http writes the whole origin. */
export function toOrigins(hosts: readonly string[]): string[] {
  return hosts.map((host) => {
    const text = /^https?:\/\//i.test(host) ? host : `https://${host}`
    const url = URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined || url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
      throw new PorticoError(
        'invalid-definition',
        `git: option "remotes" takes hosts such as github.com, not "${host}"`,
      )
    }
    return url.origin
  })
}

/** The address of a remote as it is used: without what it may say of users and passwords. */
export function checkAddress(remote: string, address: string, { origins }: RemoteSettings): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw new ToolError(
      `The remote ${remote} is at ${redact(address).slice(0, 200)}: only https addresses are used here, not ssh, files or programs`,
    )
  }
  if (!origins.includes(url.origin)) {
    throw new ToolError(
      `The remote ${remote} is at ${url.origin}, which is not among the option "remotes" (${origins.join(', ')})`,
    )
  }
  url.username = ''
  url.password = ''
  url.hash = ''
  return url
}

/**
 * What git needs to reach that address and nothing else. Settings are numbered after those that are fixed, and win over them;
 * the token is in the environment of one run, never among its arguments.
 */
export function networkEnvironment(
  url: URL,
  { token, user }: RemoteSettings,
  fixed: number,
): { readonly [name: string]: string } {
  const protocol = url.protocol.slice(0, -1)
  const settings: [string, string][] = [
    ['protocol.allow', 'never'],
    [`protocol.${protocol}.allow`, 'always'],
    ['http.followRedirects', 'false'],
    ['http.sslVerify', 'true'],
    ['http.proxy', ''],
    ['fetch.fsckObjects', 'true'],
    ['transfer.fsckObjects', 'true'],
    ['fetch.recurseSubmodules', 'false'],
    ['push.recurseSubmodules', 'no'],
    ['push.gpgSign', 'false'],
  ]
  if (token !== undefined) {
    const basic = Buffer.from(`${user}:${token}`).toString('base64')
    settings.push([`http.${url.origin}/.extraHeader`, `Authorization: Basic ${basic}`])
  }
  const numbered = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${fixed + index}`, key],
    [`GIT_CONFIG_VALUE_${fixed + index}`, value],
  ])
  return {
    ...Object.fromEntries(numbered),
    GIT_CONFIG_COUNT: String(fixed + settings.length),
    GIT_ALLOW_PROTOCOL: protocol,
    // The library that speaks HTTP reads a file of passwords there.
    HOME: join('/', 'nonexistent'),
  }
}

/** A name of a remote: what `git remote` would take, and no option. */
export function checkRemote(text: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(text) && !text.includes('..')) return text
  throw new ToolError('A remote is called by a name such as "origin"')
}
