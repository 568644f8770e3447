/**
 * OAuth on both sides of the gateway, with authorization servers that others wrote: users sign in to it with tokens for
 * it, and through it to the servers behind, whose tokens it keeps for each of them. Its pages are in `gateway-visit-cases.ts`.
 */

import assert from 'node:assert/strict'
import type { Client, ProtocolVersion } from '@portico/sdk/client'
import type { Trial } from '../support/suite.ts'
import { asBrowser, count, textOf, withClockAhead } from './gateway-browser.ts'
import { type Site, startSite } from './gateway-site.ts'
import { type GatewayCase, visitCases } from './gateway-visit-cases.ts'

const MINUTE = 60_000

const cases: readonly GatewayCase[] = [
  ...(['2026-07-28', '2025-11-25'] as const).map((version) => ({
    name: `gateway: two users, tokens of their own on both sides, none passed on, ${version} (sec-65, sec-82, sec-111)`,
    run: (site: Site) => keepTokensApart(site, version),
  })),
  {
    name: 'gateway: a token for another audience, or for a server behind, does not open it (sec-66, sec-91)',
    async run(site) {
      const ada = await site.connect('ada', asBrowser(site, 'ada'))
      await ada.callTool('mail_sign_in')
      const behind = [...site.serverTokens]
      assert.ok(behind.length > 0)
      for (const token of [...behind, 'nonsense']) {
        const answer = await fetch(site.url, { method: 'POST', headers: { authorization: `Bearer ${token}` } })
        assert.equal(answer.status, 401)
        assert.match(answer.headers.get('www-authenticate') ?? '', /resource_metadata=/)
      }
    },
  },
  {
    name: 'gateway: 50 calls at once over a token that has run out make one refresh',
    async run(site) {
      const ada = await site.connect('ada', asBrowser(site, 'ada'))
      await ada.callTool('mail_sign_in')
      // Twenty minutes later, for everybody here: the servers' tokens last fifteen, the gateway's ten hours.
      await withClockAhead(20 * MINUTE, () => callManyTimes(ada))
      assert.equal(count(site, 'POST /token refresh_token'), 1)
    },
  },
  {
    name: 'gateway: 50 calls at once with a token that the server refuses make one refresh',
    async run(site) {
      const ada = await site.connect('ada', asBrowser(site, 'ada'))
      await ada.callTool('mail_sign_in')
      for (const token of site.serverTokens) site.refused.add(token)
      await callManyTimes(ada)
      assert.equal(count(site, 'POST /token refresh_token'), 1)
    },
  },
  {
    name: "gateway: a server's tokens that were revoked are asked for again, from that user alone (sec-84)",
    async run(site) {
      const visited: string[] = []
      const ada = await site.connect('ada', asBrowser(site, 'ada', visited))
      const bob = await site.connect('bob', asBrowser(site, 'bob', visited))
      for (const client of [ada, bob]) await client.callTool('mail_sign_in')
      assert.equal(visited.length, 2)
      await revoke(site, 'ada')
      assert.equal(textOf(await ada.callTool('mail_whoami')), 'ada')
      assert.equal(textOf(await bob.callTool('mail_whoami')), 'bob')
      assert.equal(visited.length, 3)
    },
  },
  ...visitCases,
]

async function keepTokensApart(site: Site, versions: ProtocolVersion): Promise<void> {
  const visited: string[] = []
  const ada = await site.connect('ada', { versions, ...asBrowser(site, 'ada', visited) })
  const bob = await site.connect('bob', { versions, ...asBrowser(site, 'bob', visited) })
  for (const [client, user] of [
    [ada, 'ada'],
    [bob, 'bob'],
  ] as const) {
    assert.deepEqual((await client.listTools()).map(({ name }) => name).sort(), ['files_sign_in', 'mail_sign_in'])
    assert.match(textOf(await client.callTool('mail_sign_in')), /signed in/)
    assert.equal(textOf(await client.callTool('mail_whoami')), user)
    assert.match(textOf(await client.callTool('files_sign_in')), /signed in/)
    assert.equal(textOf(await client.callTool('files_whoami')), user)
  }
  assert.equal(textOf(await ada.callTool('mail_whoami')), 'ada')
  assert.equal(new Set(visited).size, 4)
  // A token for each user and server behind, none of them a client's, and neither seen on the other side.
  assert.equal(site.serverTokens.size, 4)
  assert.ok(site.clientTokens.size >= 2)
  const behind = [...site.atServers, ...site.behind.seen]
  for (const token of site.clientTokens) assert.ok(!behind.some((text) => text.includes(token)))
  const secrets = [...site.serverTokens, ...[...site.kept.values()].flatMap(refreshTokens)]
  assert.ok(secrets.length > site.serverTokens.size)
  assert.ok(site.toClients.length > 0)
  for (const secret of secrets) {
    assert.ok(!site.toClients.some((text) => text.includes(secret)))
    assert.ok(!site.front.seen.some((text) => text.includes(secret)))
  }
}

async function callManyTimes(client: Client): Promise<void> {
  const results = await Promise.all(Array.from({ length: 50 }, () => client.callTool('mail_whoami')))
  assert.deepEqual(new Set(results.map(textOf)), new Set(['ada']))
}

/** Takes a user's tokens away at the authorization server, and makes the servers refuse what is left of them. */
async function revoke(site: Site, user: string): Promise<void> {
  for (const token of site.serverTokens) {
    const { sub, client_id: client } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
    if (sub !== user) continue
    site.refused.add(token)
    const held = [...site.kept.values()].filter((value) => value.includes(token)).flatMap(refreshTokens)
    assert.ok(held.length > 0)
    for (const refresh of held) {
      const body = new URLSearchParams({ token: refresh, client_id: client })
      const answer = await fetch(`${site.behind.issuer}/token/revocation`, { method: 'POST', body })
      assert.equal(answer.status, 200)
    }
  }
}

function refreshTokens(value: string): string[] {
  return [...value.matchAll(/"refreshToken":"([^"]+)"/g)].map(([, token]) => String(token))
}

export const gatewayTrials: readonly Trial[] = cases.map(({ name, options, run }) => ({
  name,
  async run() {
    const site = await startSite(options)
    try {
      await run(site)
    } finally {
      await site.stop()
    }
  },
}))
