/**
 * The person's browser as the authorization code flow sees it: a place to come back to, and a way to show a page. The
 * receiver for command lines and desktops is in `user-agent-loopback.ts`; a web application brings its own.
 */

import { authFailure, plain } from '../client/failure.ts'
import { isLoopbackHost } from '../network/network-zone.ts'

/** Shows a person the page to sign in at, and brings back the parameters with which the page sent them back. */
export interface UserAgent {
  /** Where the authorization server sends the person back to. Asked for once in each sign-in, before `open`. */
  redirectUri(): string | Promise<string>
  /**
   * Shows the page, and resolves with the parameters that the person came back with. `added` is there when they are signed
   * in and only more permissions are needed: which these are, so that they can be told why they are asked again.
   */
  open(url: URL, signal: AbortSignal, added?: readonly string[]): Promise<URLSearchParams>
  /** The sign-in is over, whether or not `open` was reached. */
  close?(): void
}

/**
 * Gives the URL back if the page may be shown to a person: https, or http on this machine, without a password in it
 * (sec-96). Throws `auth-failed` otherwise.
 *
 * @example
 * ```ts
 * import { checkPageUrl } from '@portico/sdk/auth'
 *
 * const page = checkPageUrl('https://login.example.com/authorize?client_id=chat')
 * console.log(`Please open ${page.href}`)
 * ```
 */
export function checkPageUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
  if (url === undefined || !safe || url.username !== '' || url.password !== '') {
    throw authFailure('insecure-url', `The authorization page ${plain(text).slice(0, 100)} is not opened`)
  }
  return url
}

/** Redirect URIs are https, on this machine, or in a scheme that belongs to an application (sec-79). */
export function checkRedirectUri(text: string): { readonly native: boolean } {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:') return { native: isLoopbackHost(url.hostname) }
  if (url?.protocol === 'http:' && isLoopbackHost(url.hostname)) return { native: true }
  if (url !== undefined && /^[a-z][a-z0-9+-]*\.[a-z0-9.+-]+:$/.test(url.protocol)) return { native: true }
  throw authFailure('insecure-url', `${plain(text)} cannot be a redirect URI`)
}
