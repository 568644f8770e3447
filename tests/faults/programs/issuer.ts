/** An authorization server for the fault suite: every token it gives ends the life of the one before. */

import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TokenIssuer {
  readonly url: string
  /** How many tokens were given. */
  readonly given: number
  /** Makes the token in use worthless. */
  expire(): void
  close(): Promise<void>
}

/** `resource` is asked for when somebody wants to know; the address of the server is not known before. */
export async function createTokenIssuer(tokenFile: string, resource: () => string): Promise<TokenIssuer> {
  let given = 0
  writeFileSync(tokenFile, 'none')
  const server = createServer((request, response) => {
    const json = (value: unknown) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    const { url } = issuer
    if (request.url === '/metadata') json({ resource: resource(), authorization_servers: [url] })
    else if (request.url === '/token') {
      writeFileSync(tokenFile, `token-${++given}`)
      // Slow enough for all who were refused to be waiting when it comes.
      setTimeout(() => json({ access_token: `token-${given}`, token_type: 'Bearer', expires_in: 3600 }), 50)
    } else if (request.url === '/.well-known/oauth-authorization-server') {
      json({
        issuer: url,
        token_endpoint: `${url}/token`,
        authorization_endpoint: `${url}/authorize`,
        response_types_supported: ['code'],
        grant_types_supported: ['client_credentials'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_basic'],
      })
    } else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get given() {
      return given
    },
    expire: () => writeFileSync(tokenFile, `expired-${given}`),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return issuer
}
