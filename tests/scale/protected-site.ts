/** A server that wants tokens, and who issues them, on one port: counts what is asked for, and makes tokens void when told. */

import { randomUUID } from 'node:crypto'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createHttpHandler } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { freePort } from '../support/free-port.ts'

export interface ProtectedSite {
  readonly url: string
  /** Pages that were shown, and tokens that were renewed or asked to be, since the last `forget`. */
  readonly counts: { pages: number; refreshes: number }
  /** The tokens that were given out no longer count; nor can they be renewed where `wholly`. */
  expire(wholly: boolean): void
  stop(): void
}

export async function startProtectedSite(): Promise<ProtectedSite> {
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const counts = { pages: 0, refreshes: 0 }
  const access = new Set<string>()
  const renewable = new Set<string>()
  const codes = new Set<string>()
  const server = createServer({ name: 'guarded', version: '1.0.0', tools: { say: tool({}, () => 'said') } })
  const handler = createHttpHandler(server, { path: '/mcp' })

  function issue(res: ServerResponse): void {
    const [token, refresh] = [randomUUID(), randomUUID()]
    access.add(token)
    renewable.add(refresh)
    json(res, 200, { access_token: token, refresh_token: refresh, token_type: 'Bearer', expires_in: 3600 })
  }

  async function token(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of req) text += String(chunk)
    const form = new URLSearchParams(text)
    if (form.get('grant_type') === 'refresh_token') {
      counts.refreshes++
      // Each can be used once, so that a second use would be noticed.
      if (renewable.delete(form.get('refresh_token') ?? '')) issue(res)
      else json(res, 400, { error: 'invalid_grant' })
    } else if (codes.delete(form.get('code') ?? '')) issue(res)
    else json(res, 400, { error: 'invalid_grant' })
  }

  function page(url: URL, res: ServerResponse): void {
    counts.pages++
    const code = randomUUID()
    codes.add(code)
    const back = new URL(url.searchParams.get('redirect_uri') ?? '')
    back.searchParams.set('code', code)
    back.searchParams.set('state', url.searchParams.get('state') ?? '')
    back.searchParams.set('iss', origin)
    res.writeHead(302, { location: back.href }).end()
  }

  const http = createHttp((req, res) => {
    const url = new URL(req.url ?? '/', origin)
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource')) {
      json(res, 200, { resource: `${origin}/mcp`, authorization_servers: [origin] })
    } else if (url.pathname.startsWith('/.well-known/')) json(res, 200, metadataOf(origin))
    else if (url.pathname === '/token') void token(req, res)
    else if (url.pathname === '/authorize') page(url, res)
    else if (access.has((req.headers.authorization ?? '').replace(/^Bearer /, ''))) handler(req, res)
    else {
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
      res.writeHead(401, { 'www-authenticate': challenge }).end()
    }
  })
  await new Promise<void>((resolve) => http.listen(port, '127.0.0.1', resolve))
  return {
    url: `${origin}/mcp`,
    counts,
    expire(wholly) {
      access.clear()
      if (wholly) renewable.clear()
      counts.pages = 0
      counts.refreshes = 0
    },
    stop() {
      http.closeAllConnections()
      http.close()
    },
  }
}

function metadataOf(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    authorization_response_iss_parameter_supported: true,
  }
}

function json(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
