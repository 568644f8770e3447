/** The official SDK on the other side: its client signs in to our server, and ours to a server behind its bearer middleware. */

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import {
  type OAuthClientProvider,
  Client as OfficialClient,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import {
  type AuthMetadataOptions,
  getOAuthProtectedResourceMetadataUrl,
  mcpAuthMetadataRouter,
  requireBearerAuth,
} from '@modelcontextprotocol/express'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, McpServer, OAuthError, OAuthErrorCode } from '@modelcontextprotocol/server'
import { authorizationCode, createMemoryTokenStore } from '@portico/sdk/auth'
import { connect } from '@portico/sdk/client'
import express from 'express'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { createPerson } from './person.ts'
import type { Lab } from './provider.ts'

/** Their client, our server. */
export async function officialClientSignsIn(lab: Lab): Promise<void> {
  const person = createPerson('alice')
  const session = createSession()
  const first = new StreamableHTTPClientTransport(new URL(lab.url), { authProvider: session.provider })
  const options = { versionNegotiation: { mode: 'auto' as const } }
  await assert.rejects(
    new OfficialClient({ name: 'official', version: '2.4.0' }, options).connect(first),
    UnauthorizedError,
  )
  assert.ok(session.page !== undefined)
  await first.finishAuth(await person.open(session.page, new AbortController().signal))
  const client = new OfficialClient({ name: 'official', version: '2.4.0' }, options)
  await client.connect(new StreamableHTTPClientTransport(new URL(lab.url), { authProvider: session.provider }))
  try {
    const { content } = await client.callTool({ name: 'look', arguments: {} })
    assert.deepEqual(content, [{ type: 'text', text: 'seen' }])
  } finally {
    await client.close()
  }
  assert.deepEqual(person.shown, ['login', 'consent'])
}

/** Our client, their bearer middleware; then the token is refused and renewed. */
export async function officialServerTakesToken(lab: Lab): Promise<void> {
  const server = await startOfficial(lab.issuer)
  const person = createPerson('alice')
  try {
    const store = createMemoryTokenStore()
    const auth = { grant: authorizationCode({ userAgent: person }), store }
    const client = await connect(server.url, { auth, negotiations: false })
    try {
      assert.deepEqual((await client.callTool('look')).content, [{ type: 'text', text: 'seen' }])
      server.refuseOnce()
      assert.deepEqual((await client.callTool('look')).content, [{ type: 'text', text: 'seen' }])
    } finally {
      await client.close()
    }
    assert.deepEqual(person.shown, ['login', 'consent'])
    assert.equal(lab.asked.filter((line) => line === 'POST /token refresh_token').length, 1)
  } finally {
    await server.stop()
  }
}

type Metadata = AuthMetadataOptions['oauthMetadata'] & { readonly jwks_uri: string }

interface Session {
  readonly provider: OAuthClientProvider
  page: URL | undefined
}

function createSession(): Session {
  const kept: { client?: never; tokens?: never; verifier?: string; discovery?: never } = {}
  const session: Session = {
    page: undefined,
    provider: {
      redirectUrl: 'http://127.0.0.1:8765/callback',
      clientMetadata: {
        client_name: 'Official',
        redirect_uris: ['http://127.0.0.1:8765/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      clientInformation: () => kept.client,
      saveClientInformation: (client: unknown) => void Object.assign(kept, { client }),
      tokens: () => kept.tokens,
      saveTokens: (tokens: unknown) => void Object.assign(kept, { tokens }),
      redirectToAuthorization: (page: URL) => {
        session.page = page
      },
      saveCodeVerifier: (verifier: string) => void Object.assign(kept, { verifier }),
      codeVerifier: () => kept.verifier ?? '',
      saveDiscoveryState: (discovery: unknown) => void Object.assign(kept, { discovery }),
      discoveryState: () => kept.discovery,
    },
  }
  return session
}

async function startOfficial(issuer: string) {
  const app = express()
  const listening = app.listen(0, '127.0.0.1')
  await new Promise<void>((resolve) => listening.once('listening', () => resolve()))
  const url = new URL(`http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp`)
  // The provider publishes what the standard says, which is more than is used here.
  const metadata = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as Metadata
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri))
  let refusals = 0
  const verifier = {
    async verifyAccessToken(token: string) {
      if (refusals-- > 0) throw new OAuthError(OAuthErrorCode.InvalidToken, 'revoked')
      const { payload } = await jwtVerify(token, keys, { issuer, audience: url.href })
      const scopes = String(payload.scope ?? '').split(' ')
      return { token, clientId: String(payload.client_id), scopes, expiresAt: payload.exp ?? 0 }
    },
  }
  app.use(mcpAuthMetadataRouter({ oauthMetadata: metadata, resourceServerUrl: url, scopesSupported: ['read'] }))
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'official', version: '2.4.0' })
    server.registerTool('look', {}, () => ({ content: [{ type: 'text', text: 'seen' }] }))
    return server
  })
  const guard = requireBearerAuth({ verifier, resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(url) })
  app.post('/mcp', guard, express.json(), (req, res) => void toNodeHandler(handler)(req, res, req.body))
  return {
    url: url.href,
    refuseOnce: () => {
      refusals = 1
    },
    async stop() {
      await handler.close()
      listening.closeAllConnections()
      await new Promise((resolve) => listening.close(resolve))
    },
  }
}
