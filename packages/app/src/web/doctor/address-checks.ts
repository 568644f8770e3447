/** What a server at an address needs: a name that resolves, a door that opens, a certificate that holds, a clock that agrees. */

import { lookup } from 'node:dns/promises'
import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { createGuardedFetch, isLoopbackHost } from '@portico/sdk/auth-node'
import { isObject, timeLimit } from '@portico/sdk/internal'
import type { DoctorCheck } from '../api-types/api.ts'
import { type Examination, type ExaminedServer, failed, ok, skipped, warning } from './checks.ts'

const ANSWER_MS = 5_000
const MAX_SKEW_MS = 60_000
const MAX_METADATA = 256 * 1_024

export const ADDRESS_EXAMINATIONS: readonly Examination[] = [examineAddress]

async function examineAddress({ config, signal }: ExaminedServer): Promise<readonly DoctorCheck[]> {
  const { target } = config
  if (!('url' in target)) return []
  if (!URL.canParse(target.url)) {
    return target.url.includes('${')
      ? [skipped('Address', 'The URL holds a variable')]
      : [failed('Address', 'The URL cannot be understood', 'Correct it; it begins with https://')]
  }
  const url = new URL(target.url.replace(/^ws/, 'http'))
  const name = await checkName(url)
  if (name.status === 'failed') return [name]
  try {
    const answer = await ask(url, signal)
    return [
      name,
      ok('Connection', `HTTP ${answer.status}`),
      checkTls(url),
      checkClock(answer.date),
      await checkAuth(url, answer, signal),
    ]
  } catch (error) {
    return [name, explain(url, error)]
  }
}

async function checkName(url: URL): Promise<DoctorCheck> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  try {
    const { address } = await lookup(host)
    return ok('Name', host === address ? host : `${host} is ${address}`)
  } catch {
    return failed('Name', `${host} cannot be resolved`, 'Check the spelling of the URL and the network connection.')
  }
}

interface Head {
  readonly status: number
  readonly date: string | undefined
  readonly challenge: string | undefined
}

/** A plain `GET`: answered by every MCP server, if only with a refusal. */
function ask(url: URL, signal: AbortSignal): Promise<Head> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(url, { signal, timeout: ANSWER_MS, headers: { accept: 'text/event-stream' } }, (response) => {
      resolve({
        status: response.statusCode ?? 0,
        date: response.headers.date,
        challenge: response.headers['www-authenticate'],
      })
      response.destroy()
    })
    request.on('timeout', () => request.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })))
    request.on('error', reject)
    request.end()
  })
}

function explain(url: URL, error: unknown): DoctorCheck {
  const { code = '' } = error as { code?: string }
  if (code === 'ECONNREFUSED')
    return failed('Connection', `Nothing listens at ${url.host}`, 'Start the server there, or correct the port.')
  if (code === 'ETIMEDOUT')
    return failed('Connection', `${url.host} does not answer`, 'Check the network and firewalls.')
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO|ALTNAME/.test(code)) {
    return failed(
      'TLS',
      `The certificate is not accepted (${code})`,
      'Correct it, or name its authority under `tls.ca`.',
    )
  }
  const words = error instanceof Error ? error.message : String(error)
  return failed('Connection', `${url.host}: ${words.slice(0, 200)}`, 'Check the URL and the network connection.')
}

function checkTls(url: URL): DoctorCheck {
  if (url.protocol === 'https:') return ok('TLS', 'The certificate is accepted')
  if (isLoopbackHost(url.hostname)) return skipped('TLS', 'On this machine it is not needed')
  return warning('TLS', 'The connection is not encrypted', 'Use https:// where the server offers it.')
}

function checkClock(date: string | undefined): DoctorCheck {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return skipped('Clock', 'The server does not say what time it is')
  const skew = Math.abs(Date.now() - theirs)
  if (skew <= MAX_SKEW_MS) return ok('Clock', 'Agrees with the server')
  const seconds = Math.round(skew / 1_000)
  return warning('Clock', `Differs from the server's by ${seconds} seconds`, 'Set the clock: tokens depend on it.')
}

async function checkAuth(url: URL, { status, challenge }: Head, signal: AbortSignal): Promise<DoctorCheck> {
  const name = 'Sign-in'
  if (status !== 401) return skipped(name, 'The server did not ask for it')
  const named = /resource_metadata="([^"]+)"/.exec(challenge ?? '')?.[1]
  const place = named ?? new URL(`/.well-known/oauth-protected-resource${url.pathname}`, url).href
  try {
    const get = createGuardedFetch({ server: url })
    const limit = timeLimit(ANSWER_MS, signal)
    const response = await get(place, { headers: { accept: 'application/json' }, signal: limit })
    const text = response.ok ? (await response.text()).slice(0, MAX_METADATA) : ''
    const found: unknown = text === '' ? undefined : JSON.parse(text)
    const servers = isObject(found) ? found.authorization_servers : undefined
    if (Array.isArray(servers) && typeof servers[0] === 'string') {
      return ok(name, `Needed; by ${servers[0].slice(0, 200)}`)
    }
    return warning(
      name,
      'Needed, but the server does not say where',
      'Sign in all the same: older servers say it elsewhere.',
    )
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return failed(name, `Where to sign in cannot be read: ${words.slice(0, 200)}`, 'Ask whoever runs the server.')
  }
}
