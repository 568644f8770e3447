import { lookup } from 'node:dns/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { afterEach, expect, test } from 'vitest'
import { authFailureOf } from '../client/failure.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { judgeTarget } from './guarded-target.ts'
import { zoneOfAddress } from './network-zone.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function listen(handle: Parameters<typeof createServer>[1], host = '127.0.0.1'): Promise<URL> {
  const server = createServer(handle as never)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
}

const reasonOf = (error: unknown) => authFailureOf(error)?.reason

test.each<[string, string, string | undefined]>([
  ['https://mcp.example/', 'https://as.example/', undefined],
  ['https://mcp.example/', 'https://mcp.example/', undefined],
  ['https://mcp.example/', 'http://as.example/', 'insecure-url'],
  ['https://mcp.example/', 'http://localhost/', 'insecure-url'],
  ['https://mcp.example/', 'http://mcp.example/', 'insecure-url'],
  ['https://mcp.example/', 'https://127.0.0.1/', 'blocked-target'],
  ['https://mcp.example/', 'https://localhost/', 'blocked-target'],
  ['https://mcp.example/', 'https://10.0.0.1/', 'blocked-target'],
  ['https://mcp.example/', 'https://[fd00::1]/', 'blocked-target'],
  ['https://mcp.example/', 'https://169.254.169.254/', 'blocked-target'],
  ['https://mcp.example/', 'https://0x7f000001/', 'blocked-target'],
  ['https://mcp.example/', 'https://user:pass@as.example/', 'blocked-target'],
  ['https://mcp.example/', 'file:///etc/passwd', 'insecure-url'],
  ['https://mcp.example/', 'gopher://as.example/', 'insecure-url'],
  ['http://127.0.0.1:3000/', 'http://127.0.0.1:4000/', undefined],
  ['http://127.0.0.1:3000/', 'http://localhost:4000/', undefined],
  ['http://127.0.0.1:3000/', 'https://as.example/', undefined],
  ['http://127.0.0.1:3000/', 'http://as.example/', 'insecure-url'],
  ['http://127.0.0.1:3000/', 'http://169.254.169.254/', 'insecure-url'],
  ['http://127.0.0.1:3000/', 'https://10.0.0.1/', 'blocked-target'],
  ['https://10.0.0.1/', 'https://10.0.0.2/', undefined],
  ['https://10.0.0.1/', 'https://127.0.0.1/', 'blocked-target'],
  ['https://10.0.0.1/', 'https://169.254.169.254/', 'blocked-target'],
])('sec-80, sec-92: %s sends to %s: %s', (server, target, reason) => {
  let found: string | undefined
  try {
    judgeTarget(new URL(target), { server: new URL(server) })
  } catch (error) {
    found = reasonOf(error)
  }
  expect(found).toBe(reason)
})

test.each<[string, string, string | undefined]>([
  ['http://intranet.example/', 'http://intranet.example/token', 'insecure-url'],
  ['http://127.0.0.1:3000/', 'http://127.0.0.1:4000/token', undefined],
  ['http://intranet.example/', 'https://as.example/token', undefined],
])('sec-80: %s has secrets sent to %s: %s', (server, target, reason) => {
  let found: string | undefined
  try {
    judgeTarget(new URL(target), { server: new URL(server) }, true)
  } catch (error) {
    found = reasonOf(error)
  }
  expect(found).toBe(reason)
})

test('sec-92: follows redirects on the same origin, and no others', async () => {
  let reached = 0
  const canary = await listen((_req, res) => {
    reached++
    res.end('{}')
  })
  const site = await listen((req, res) => {
    const to = req.url === '/a' ? '/b' : req.url === '/out' ? canary.href : '/loop'
    if (req.url === '/b') res.end('{"fine":true}')
    else res.writeHead(302, { location: to }).end()
  })
  const fetch = createGuardedFetch({ server: site })
  expect(await (await fetch(`${site.href}a`, {})).json()).toEqual({ fine: true })
  for (const path of ['out', 'loop']) {
    expect(await fetch(`${site.href}${path}`, {}).catch(reasonOf)).toBe('blocked-target')
  }
  // What is sent to an endpoint is meant for that endpoint.
  expect(await fetch(`${site.href}a`, { method: 'POST', body: 'secret' }).catch(reasonOf)).toBe('blocked-target')
  expect(reached).toBe(0)
})

test.each([
  [1_048_576, undefined],
  [1_048_577, 'blocked-target'],
])('sec-92: reads %s bytes: %s', async (size, reason) => {
  const site = await listen((_req, res) => res.end('x'.repeat(size)))
  const read = createGuardedFetch({ server: site })(site.href, {})
  if (reason === undefined) expect((await (await read).text()).length).toBe(size)
  else expect(await read.catch(reasonOf)).toBe(reason)
})

test('sec-92: an endless answer ends at the limit', async () => {
  const site = await listen((_req, res) => {
    const more = () => {
      while (!res.destroyed && res.write('x'.repeat(16_384)));
      res.once('drain', more)
    }
    more()
  })
  expect(await createGuardedFetch({ server: site })(site.href, {}).catch(reasonOf)).toBe('blocked-target')
})

test('an answer of another protocol ends the request', async () => {
  const site = await listen((_req, res) => {
    res.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
  })
  await expect(createGuardedFetch({ server: site })(site.href, {})).rejects.toThrow()
})

test('sec-92: a name that resolves inward is not dialled', async (context) => {
  const names = ['ip6-localhost', hostname()]
  const inward: string[] = []
  for (const name of names) {
    const addresses = await lookup(name, { all: true }).catch(() => [])
    if (addresses.some(({ address }) => zoneOfAddress(address) !== 'public')) inward.push(name)
  }
  const [name] = inward
  if (name === undefined) return context.skip()
  let reached = 0
  const canary = await listen((_req, res) => {
    reached++
    res.end()
  }, '0.0.0.0')
  const fetch = createGuardedFetch({ server: new URL('http://192.0.2.1/'), dangerouslyAllowPlainHttp: true })
  expect(await fetch(`http://${name}:${canary.port}/`, {}).catch(reasonOf)).toBe('blocked-target')
  expect(reached).toBe(0)
})
