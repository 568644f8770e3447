/**
 * What a gateway in between costs, and what the host does with servers that are dead. Each gateway is a process of its
 * own in front of the bare server, so that its CPU time is all that it adds.
 */

import type { Axis } from './axis.ts'
import type { Contestant, Plan } from './programs/driver.ts'
import type { Call, Era } from './programs/load/messages.ts'

const ADD: Call = { method: 'tools/call', name: 'add', args: { a: 1, b: 2 } }

export const GATEWAY_AXES: readonly Axis[] = [
  {
    name: 'gateway',
    title: 'a gateway from HTTP to a stdio server',
    unit: 'µs CPU per call',
    about:
      'The gateway’s process alone, in front of the bare server on pipes; sessions of 2025-11-25 unless said otherwise. Portico’s limit of calls in a minute is lifted.',
    cases: (pace) =>
      (['session', 'modern'] as const).map((era) => {
        const plan: Plan = { ...pace, kind: 'http', call: ADD, inFlight: 32, contestants: gateways(era) }
        return { name: era === 'session' ? '32 in flight' : '32 in flight, 2026-07-28', plan }
      }),
  },
  {
    name: 'gateway-servers',
    title: 'a gateway in front of many servers',
    unit: 'µs CPU per call',
    about: 'Servers on HTTP, called in turn. The other gateways take one server each.',
    cases: (pace) => [
      {
        name: '32 in flight',
        plan: { ...pace, kind: 'http', call: ADD, inFlight: 32, contestants: [inFrontOf(1), inFrontOf(50)] },
      },
    ],
  },
  {
    name: 'gateway-relay',
    title: 'a relayed call beside the bare one',
    unit: 'µs CPU per call',
    about:
      'The gateway’s process in front of the bare server on HTTP, and that server called without it. The bare proxy is what Node itself needs to pass a call on: it parses and writes each message once and checks nothing.',
    cases: (pace) =>
      (['session', 'modern'] as const).map((era) => {
        const bare: Contestant = { name: 'bare, no gateway', program: 'servers/bare', args: ['http'], era }
        const proxy: Contestant = { name: 'bare proxy', program: 'gateways/bare', era }
        const contestants = [bare, proxy, { ...inFrontOf(1), era }]
        const plan: Plan = { ...pace, kind: 'http', call: ADD, inFlight: 32, contestants }
        return { name: era === 'session' ? '32 in flight' : '32 in flight, 2026-07-28', plan }
      }),
  },
  {
    name: 'host-guarded',
    title: 'a guarded call of the host beside the client’s',
    unit: 'µs CPU per call',
    about: 'The calling process, over HTTP to the bare server: with rules, guard and audit log, and without.',
    cases: (pace) => {
      const client: Contestant = { name: 'portico client', program: 'clients/portico', args: ['http', 'modern'] }
      const contestants: Contestant[] = [client, { name: 'portico', program: 'host/guarded-call' }]
      return [{ name: '32 in flight', plan: { ...pace, kind: 'self', inFlight: 32, contestants } }]
    },
  },
  {
    name: 'gateway-latency',
    title: 'the time that a gateway adds',
    unit: 'µs, the median call',
    about: 'From request to answer with one call at a time. “No gateway” is the bare server itself, on HTTP.',
    cases: (pace) => {
      const direct: Contestant = { name: 'bare, no gateway', program: 'servers/bare', args: ['http'], era: 'session' }
      const contestants = [direct, ...gateways('session')]
      const plan: Plan = { ...pace, kind: 'http', call: ADD, inFlight: 1, figure: 'latency', contestants }
      return [{ name: '1 in flight', plan }]
    },
  },
  {
    name: 'host-first',
    title: 'the host’s first answer with dead servers',
    unit: 'ms',
    about:
      'From new connections to the answer of a call to a live server; the same from a new host, with its rules and its state on disk; until the tools of all live servers are on offer; and until a model that is spoken to at once is asked, with those tools. The dead: a port that nobody listens on, one that never answers, a program that does not exist.',
    scale: 1000,
    cases: (pace) => {
      // A start takes long: more and longer rounds, for as many figures as the other axes get.
      const slower = { rounds: pace.rounds * 2, ms: pace.ms * 3, warmMs: pace.warmMs }
      const plan = { ...slower, kind: 'self', inFlight: 1, figure: 'latency' } as const
      return HOST_CASES.map(([name, program]) => ({ name, plan: { ...plan, contestants: hosts(program) } }))
    },
  },
]

const HOST_CASES = [
  ['from start', 'host/first-answer'],
  ['host, a call', 'host/first-call'],
  ['host, all tools', 'host/first-list'],
  ['host, a model’s turn', 'host/first-turn'],
] as const

function hosts(program: string): readonly Contestant[] {
  return [
    { name: 'portico, 17 live', program, args: ['17', '0'] },
    { name: 'portico, 17 live and 3 dead', program, args: ['17', '3'] },
  ]
}

function gateways(era: Era): readonly Contestant[] {
  return [
    { name: 'portico', program: 'gateways/portico', args: ['stdio'], era },
    { name: 'mcp-proxy', program: 'gateways/mcp-proxy', era },
    { name: 'supergateway', program: 'gateways/supergateway', era },
  ]
}

function inFrontOf(servers: number): Contestant {
  const name = servers === 1 ? 'portico' : `portico, ${servers} servers`
  return { name, program: 'gateways/portico', args: ['http', String(servers)], era: 'session', call: { servers } }
}
