/** What comes from the other side of a page: the form that was sent, and the client that began it all, made presentable. */

import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from '@portico/sdk/auth-node'
import type { Client } from 'oidc-provider'
import type { ShownClient } from './pages.ts'

export interface InteractionParams {
  readonly client_id?: unknown
  readonly redirect_uri?: unknown
}

const MAX_FORM_BYTES = 8192

/** Undefined for what is no form, or too long for one of ours. */
export async function readForm(req: IncomingMessage): Promise<URLSearchParams | undefined> {
  if (!/^application\/x-www-form-urlencoded\b/i.test(req.headers['content-type'] ?? '')) return undefined
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req) {
    size += chunk.length
    if (size > MAX_FORM_BYTES) return undefined
    chunks.push(chunk)
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'))
}

export function toShownClient(client: Client, params: InteractionParams): ShownClient {
  const redirect = toUrl(params.redirect_uri)
  const { clientId, clientName } = client
  const document = clientId.startsWith('https://') ? toUrl(clientId)?.host : undefined
  const isWeb = redirect?.protocol === 'https:' || redirect?.protocol === 'http:'
  return {
    name: clientName ?? document ?? clientId,
    provenHost: document,
    redirectTo:
      redirect === undefined ? 'nowhere' : isWeb ? redirect.host : `an app on this computer (${redirect.protocol})`,
    local: redirect !== undefined && (!isWeb || isLoopbackHost(redirect.hostname)),
  }
}

/** Browsers hold the redirects that follow a form to its page's policy: where the answer goes has to be named there. */
export function toFormTarget(params: InteractionParams): string {
  const redirect = toUrl(params.redirect_uri)
  if (redirect === undefined) return ''
  return redirect.origin === 'null' ? redirect.protocol : redirect.origin
}

function toUrl(value: unknown): URL | undefined {
  return typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
}
