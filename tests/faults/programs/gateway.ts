/**
 * The fault suite's gateway as a program: one server behind it, reached as the plan in its argument says. Lines on standard
 * input make it misbehave: `exit`, `block <ms>`, `heap`, `clock <ms>`.
 */

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { DEFAULT_SETTINGS, type ServerConfig } from '@portico/host/config'
import { createGateway, serveGateway } from '@portico/host/gateway'
import { createCatalogue, createUpstreams } from '@portico/host/upstream'
import { clientCredentials } from '@portico/sdk/auth'
import { createPrincipal } from '@portico/sdk/server'
import { duplicateEvents } from './duplicate-events.ts'
import type { GatewayPlan } from './gateway-plan.ts'
import { PATIENT } from './patient.ts'

const plan = JSON.parse(process.argv[2] ?? '{}') as GatewayPlan
const { tokenFile, metadata } = plan

const config: ServerConfig = {
  name: 'far',
  target: { kind: 'in-process', module: 'far', options: {} },
  settings: { ...DEFAULT_SETTINGS, trusted: true },
  place: { file: 'faults', path: 'far' },
  fingerprint: 'far',
}

const upstreams = createUpstreams({
  // A machine that is slow to start a server is not left alone for long.
  breaker: { firstWaitMs: 100, openMs: 1_000, ...(plan.failures && { failures: plan.failures }) },
  resolve: async () => ({
    target: plan.target,
    options: {
      versions: plan.version,
      negotiations: false,
      ...(plan.keepAlive && { keepAlive: plan.keepAlive }),
      ...(plan.signsIn && { auth: { grant: clientCredentials({ clientId: 'x', clientSecret: 'y' }) } }),
    },
  }),
})
const catalogue = createCatalogue(upstreams, { patienceMs: 20_000 })
await upstreams.set([config])
await catalogue.list()
const gateway = createGateway(
  { upstreams, catalogue },
  { allowAnonymous: tokenFile === undefined, tasks: false, onError: () => {} },
)
if (plan.duplicateEvents) duplicateEvents()
const listening = await serveGateway(gateway, {
  port: plan.port,
  graceMs: plan.graceMs,
  limits: { keepAliveMs: plan.keepAliveMs ?? 15_000, ...PATIENT },
  ...(tokenFile !== undefined && {
    authenticate: (head) => {
      if (head.header('authorization') === `Bearer ${readFileSync(tokenFile, 'utf8')}`) return createPrincipal('tester')
      return { status: 401, message: 'no', headers: ['www-authenticate', `Bearer resource_metadata="${metadata}"`] }
    },
  }),
})
process.on('SIGTERM', () => {
  void listening
    .close()
    .then(() => upstreams.close())
    .then(() => process.exit(0))
})
createInterface({ input: process.stdin }).on('line', (line) => {
  const [what, value] = line.split(' ')
  if (what === 'exit') process.exit(0)
  if (what === 'block') for (const until = performance.now() + Number(value); performance.now() < until; );
  if (what === 'clock') moveClock(Number(value))
  if (what === 'heap') exhaust()
})
process.stdout.write(`${listening.port}\n`)

function moveClock(ms: number): void {
  const now = Date.now
  Date.now = () => now() + ms
}

function exhaust(): void {
  const held: unknown[] = []
  for (;;) held.push(new Array(100_000).fill(held.length))
}
