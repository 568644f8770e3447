/**
 * What a person should know of a URL before opening it (sec-103, sec-106): the host that counts, and every trick by which
 * it may look like another. Judged from the text alone: nothing is fetched, resolved or opened (sec-104).
 */

import { domainToUnicode } from 'node:url'
import { isLoopbackHost, zoneOfHost } from '@portico/sdk/auth-node'
import { mixedScripts } from '@portico/sdk/lint'

/** A URL as it should be shown to a person before they open it, with warnings in plain words. */
export interface UrlInspection {
  /** The URL as it would be opened, spelled out in full. */
  readonly url: string
  /** The host as the network knows it, with its port; empty where there is none. */
  readonly host: string
  /** The host as it is meant to be read, where that differs. */
  readonly displayHost: string
  /** The end of the host that its owner registered, as far as a text shows it: what to highlight. */
  readonly domain: string
  /** Must not be offered for opening. */
  readonly blocked: boolean
  readonly warnings: readonly string[]
}

/**
 * Looks at a URL that a server wants the user to open and says what could deceive them about it: a name before `@`,
 * letters of other alphabets, another scheme than `http` or `https`. It opens nothing.
 *
 * @example
 * ```ts
 * import { inspectUrl } from '@portico/host/consent'
 *
 * const { host, warnings } = inspectUrl('https://bank.com@evil.example/')
 * // host: 'evil.example', warnings: ['What stands before "@" is no host; the host is "evil.example".']
 * ```
 */
export function inspectUrl(text: string): UrlInspection {
  let url: URL
  try {
    url = new URL(text)
  } catch {
    return { url: visible(text), host: '', displayHost: '', domain: '', blocked: true, warnings: ['This is no URL.'] }
  }
  const { hostname } = url
  const displayHost = domainToUnicode(hostname)
  const blocked = url.protocol !== 'https:' && url.protocol !== 'http:'
  return {
    url: visible(url.href),
    host: url.host,
    displayHost: visible(displayHost),
    domain: domainOf(hostname),
    blocked,
    warnings: [...warningsFor(url, text, displayHost, blocked)],
  }
}

const MAX_URL = 2_048
const MAX_HOST = 60
const MAX_LABELS = 6

/** Marks that turn the direction of text, and characters that are not seen. */
const HIDDEN = /[\p{Cc}\p{Cf}\u115f\u1160\u3164\uffa0]/u

function* warningsFor(url: URL, text: string, displayHost: string, blocked: boolean): Generator<string> {
  const { hostname } = url
  if (blocked) yield `It is not a web address: "${url.protocol}" may start another program.`
  if (url.protocol === 'http:' && !isLoopbackHost(hostname)) yield 'It is not encrypted (http).'
  if (url.username !== '' || url.password !== '') {
    yield `What stands before "@" is no host; the host is "${url.host}".`
  }
  if (HIDDEN.test(text) || HIDDEN.test(safeDecode(text))) {
    yield 'It holds invisible characters, or such as turn the direction of text.'
  }
  if (/(^|\.)xn--/.test(hostname))
    yield `The host is spelled with special letters: "${visible(displayHost)}" is "${hostname}".`
  const { scripts = [] } = mixedScripts(displayHost) ?? {}
  if (scripts.length > 1) yield `The host mixes alphabets (${scripts.join(', ')}), which can imitate another name.`
  if (scripts.length === 1) yield `The host is spelled in letters that look like others (${scripts.join()}).`
  if (isAddress(hostname)) {
    yield isLoopbackHost(hostname) ? 'It leads to this computer.' : 'The host is a number, not a name.'
    if (isPrivate(hostname)) yield 'It leads into the local network.'
  } else if (hostname === 'localhost' || hostname.endsWith('.localhost')) yield 'It leads to this computer.'
  if (url.port !== '') yield `It uses the unusual port ${url.port}.`
  if (hostname.length > MAX_HOST || hostname.split('.').length > MAX_LABELS) {
    yield `The host is very long; what counts is its end: "${domainOf(hostname)}".`
  }
  if (text.length > MAX_URL) yield 'It is very long.'
  if (/[?&#](?:[\w-]{0,30}(?:token|secret|password|passwd|api[-_]?key)|session)=/i.test(url.href)) {
    yield 'It seems to carry a credential.'
  }
}

/** The last two labels, or three where the last two are short as in `co.uk`. A hint for the eye, not a registry. */
function domainOf(hostname: string): string {
  if (isAddress(hostname)) return hostname
  const labels = hostname.replace(/\.$/, '').split('.')
  const [second = '', top = ''] = labels.slice(-2)
  return labels.slice(top.length === 2 && second.length <= 3 && labels.length > 2 ? -3 : -2).join('.')
}

function isAddress(hostname: string): boolean {
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) || hostname.startsWith('[')
}

function isPrivate(hostname: string): boolean {
  const zone = zoneOfHost(hostname)
  return zone === 'private' || zone === 'link-local'
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Characters that cannot be seen, or that reorder others, as their numbers. */
function visible(text: string): string {
  return text.replace(new RegExp(HIDDEN, 'gu'), (one) => {
    return `⟦U+${one.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟧`
  })
}
