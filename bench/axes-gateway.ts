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
      'From a new host to the answer of a call to a live server. The dead: a port that nobody listens on, one that never answers, a program that does not exist.',
    scale: 1000,
    cases: (pace) => {
      // A start takes long: more and longer rounds, for as many figures as the other axes get.
      const slower = { rounds: pace.rounds * 2, ms: pace.ms * 3, warmMs: pace.warmMs }
      return [
        { name: 'from start', plan: { ...slower, kind: 'self', inFlight: 1, figure: 'latency', contestants: HOSTS } },
      ]
    },
  },
]

const HOSTS: readonly Contestant[] = [
  { name: 'portico, 17 live', program: 'host/first-answer', args: ['17', '0'] },
  { name: 'portico, 17 live and 3 dead', program: 'host/first-answer', args: ['17', '3'] },
]

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
