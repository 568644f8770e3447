/**
 * The axes, one entry each: what is measured, in which cases, against whom. `run.ts` hands the plans to a driver; what
 * needs no process of ours to run (bytes, installed size, type-checking) is in `static-axes.ts`.
 */

import { GATEWAY_AXES } from './axes-gateway.ts'
import { REPLICA_AXES } from './axes-replicas.ts'
import { RUNTIME_AXES } from './axes-runtimes.ts'
import type { Axis, Case, Pace } from './axis.ts'
import type { Contestant, Plan } from './programs/driver.ts'
import type { Call, Era } from './programs/load/messages.ts'

export type { Axis, Case, Pace } from './axis.ts'

const ADD: Call = { method: 'tools/call', name: 'add', args: { a: 1, b: 2 } }
const LIST: Call = { method: 'tools/list' }
const STEPS: Call = { method: 'tools/call', name: 'steps', args: { count: 10_000 }, progress: true }

export const AXES: readonly Axis[] = [
  {
    name: 'http-2026',
    title: 'tools/call over HTTP, 2026-07-28',
    unit: 'µs CPU per call',
    about: 'The server process, keep-alive connections, one request in flight on each.',
    cases: (pace) => inFlight((count) => ({ ...pace, kind: 'http', call: ADD, inFlight: count, contestants: MODERN })),
  },
  {
    name: 'http-sessions',
    title: 'tools/call over HTTP, sessions',
    unit: 'µs CPU per call',
    about: 'The same in a session of 2025-11-25, or of the newest revision that the server has.',
    cases: (pace) =>
      inFlight((count) => ({ ...pace, kind: 'http', call: ADD, inFlight: count, contestants: SESSIONS })),
  },
  {
    name: 'stdio',
    title: 'tools/call over stdio',
    unit: 'µs CPU per call',
    about: 'The server process on pipes, 2025-11-25 unless said otherwise.',
    cases: (pace) => inFlight((count) => ({ ...pace, kind: 'stdio', call: ADD, inFlight: count, contestants: PIPES })),
  },
  {
    name: 'websocket',
    title: 'tools/call over WebSocket',
    unit: 'µs CPU per call',
    about: 'The server process, one connection. No peer serves WebSocket; the bare server is the ws library alone.',
    cases: (pace) =>
      inFlight((count) => ({ ...pace, kind: 'websocket', call: ADD, inFlight: count, contestants: SOCKETS })),
  },
  {
    name: 'memory',
    title: 'client and server in one process',
    unit: 'µs CPU per call',
    about:
      'Both sides together. Unless “by reference”, the bare loop and Portico pass JSON text; the peers pass objects.',
    cases: (pace) => [{ name: '32 in flight', plan: { ...pace, kind: 'self', inFlight: 32, contestants: MEMORY } }],
  },
  {
    name: 'client-http',
    title: 'a client’s call over HTTP',
    unit: 'µs CPU per call',
    about: 'The client process against the bare server. Portico on Node is built on node:http.',
    cases: (pace) => [
      { name: '32 in flight', plan: { ...pace, kind: 'self', inFlight: 32, contestants: CLIENTS_HTTP } },
    ],
  },
  {
    name: 'client-stdio',
    title: 'a client’s call over stdio',
    unit: 'µs CPU per call',
    about: 'The client process against the bare server on pipes.',
    cases: (pace) => [
      { name: '32 in flight', plan: { ...pace, kind: 'self', inFlight: 32, contestants: CLIENTS_STDIO } },
    ],
  },
  {
    name: 'list',
    title: 'tools/list over HTTP, sessions',
    unit: 'µs CPU per call',
    about: 'The bare server sends bytes that it made at start.',
    cases: (pace) =>
      ([3, 100, 1000] as const).map((tools) => {
        const contestants = SESSIONS.map((one) => ({ ...one, env: { BENCH_TOOLS: String(tools) } }))
        const plan: Plan = { ...pace, kind: 'http', call: LIST, inFlight: 8, contestants }
        return { name: `${tools.toLocaleString('en')} tools`, plan }
      }),
  },
  {
    name: 'result',
    title: 'a long text result over HTTP, sessions',
    unit: 'µs CPU per call',
    about: 'The bare server stringifies the text for each call.',
    cases: (pace) =>
      ([1, 10] as const).map((megabytes) => {
        const call: Call = { method: 'tools/call', name: 'text', args: { size: megabytes * 1_000_000 } }
        return { name: `${megabytes} MB`, plan: { ...pace, kind: 'http', call, inFlight: 4, contestants: SESSIONS } }
      }),
  },
  {
    name: 'progress',
    title: '10,000 progress notifications in one call',
    unit: 'ms CPU per call',
    about: 'All of them are sent: Portico’s default rate limit, which would drop most over HTTP, is lifted here.',
    scale: 1000,
    cases: (pace) => [
      { name: 'HTTP', plan: { ...pace, kind: 'http', call: STEPS, inFlight: 1, contestants: unlimited(STREAMING) } },
      { name: 'stdio', plan: { ...pace, kind: 'stdio', call: STEPS, inFlight: 1, contestants: PIPES } },
    ],
  },
  {
    name: 'idle',
    title: 'memory of what is idle',
    unit: 'bytes each',
    about: 'Heap and buffers of the server process after collection. Event streams are GETs of a session and listens.',
    cases: (pace) => [
      {
        name: 'session',
        plan: { ...pace, ...many(pace, 3333), kind: 'sessions', contestants: KEEPERS },
      },
      {
        name: 'event stream',
        plan: { ...pace, ...many(pace, 2000), kind: 'streams', contestants: LISTENERS },
      },
    ],
  },
  {
    name: 'start',
    title: 'start to first answer over stdio',
    unit: 'ms CPU',
    about: 'From spawn to the answer of the first tools/call, after initialize; plain and bundled into one file.',
    scale: 1000,
    cases: (pace) => [
      { name: 'plain', plan: { ...pace, kind: 'start', rounds: pace.rounds * 2, inFlight: 1, contestants: STARTS } },
      {
        name: 'bundled',
        plan: { ...pace, kind: 'start', rounds: pace.rounds * 2, inFlight: 1, contestants: STARTS.map(bundled) },
      },
    ],
  },
  {
    name: 'schemas',
    title: 'Portico in memory, by schema library',
    unit: 'µs CPU per call',
    about: 'The same tool declared in each library; "alone" is the library’s own validation with nothing around it.',
    cases: (pace) => [{ name: '32 in flight', plan: { ...pace, kind: 'self', inFlight: 32, contestants: SCHEMAS } }],
  },
  ...GATEWAY_AXES,
  ...REPLICA_AXES,
  ...RUNTIME_AXES,
]

const OFFICIAL_1 = 'official 1.32.2'
const OFFICIAL_2 = 'official 2.4.0'

const MODERN: readonly Contestant[] = [
  server('bare', 'bare', 'modern'),
  server('portico', 'portico', 'modern'),
  server(OFFICIAL_2, 'official-2', 'modern', ['http-modern']),
  server('tmcp', 'tmcp', 'modern'),
]

const SESSIONS: readonly Contestant[] = [
  server('bare', 'bare', 'session'),
  server('portico', 'portico', 'session'),
  server(OFFICIAL_2, 'official-2', 'session'),
  server(OFFICIAL_1, 'official-1', 'session'),
  server('tmcp', 'tmcp', 'session'),
  server('mcp-lite', 'mcp-lite', 'session'),
  server('fastmcp', 'fastmcp', 'session'),
]

/** Without fastmcp, which takes minutes to open that many, and the bare server, which keeps no sessions. */
const KEEPERS = SESSIONS.filter(({ name }) => name !== 'fastmcp' && name !== 'bare')

const STREAMING: readonly Contestant[] = [
  server('bare', 'bare', 'session'),
  server('portico', 'portico', 'session'),
  server('portico, 2026-07-28', 'portico', 'modern'),
  server(OFFICIAL_2, 'official-2', 'session'),
  server(`${OFFICIAL_2}, 2026-07-28`, 'official-2', 'modern', ['http-modern']),
  server(OFFICIAL_1, 'official-1', 'session'),
]

const LISTENERS: readonly Contestant[] = [
  server('bare', 'bare', 'session'),
  server('portico', 'portico', 'session'),
  server('portico, 2026-07-28', 'portico', 'modern'),
  server(OFFICIAL_2, 'official-2', 'session'),
  server(OFFICIAL_1, 'official-1', 'session'),
]

const PIPES: readonly Contestant[] = [
  server('bare', 'bare', 'session', ['stdio']),
  server('bare, 2026-07-28', 'bare', 'modern', ['stdio']),
  server('portico', 'portico', 'session', ['stdio']),
  server('portico, 2026-07-28', 'portico', 'modern', ['stdio']),
  server(OFFICIAL_2, 'official-2', 'session', ['stdio']),
  server(`${OFFICIAL_2}, 2026-07-28`, 'official-2', 'modern', ['stdio']),
  server(OFFICIAL_1, 'official-1', 'session', ['stdio']),
  server('tmcp', 'tmcp', 'session', ['stdio']),
  server('fastmcp', 'fastmcp', 'session', ['stdio']),
]

const SOCKETS: readonly Contestant[] = [
  server('bare', 'bare', 'session', ['websocket']),
  server('portico', 'portico', 'session', ['websocket']),
  server('portico, 2026-07-28', 'portico', 'modern', ['websocket']),
]

const MEMORY: readonly Contestant[] = [
  { name: 'bare', program: 'memory/bare' },
  { name: 'bare by reference', program: 'memory/bare', args: ['reference'] },
  { name: 'portico', program: 'memory/portico', args: ['session'] },
  { name: 'portico, 2026-07-28', program: 'memory/portico', args: ['modern'] },
  { name: 'portico by reference', program: 'memory/portico', args: ['session', 'reference'] },
  { name: OFFICIAL_2, program: 'memory/official-2' },
  { name: OFFICIAL_1, program: 'memory/official-1' },
  { name: 'tmcp', program: 'memory/tmcp' },
]

const CLIENTS_HTTP: readonly Contestant[] = [
  { name: 'bare node:http', program: 'clients/bare', args: ['node'] },
  { name: 'bare undici pool', program: 'clients/bare', args: ['undici'] },
  { name: 'bare fetch', program: 'clients/bare', args: ['fetch'] },
  { name: 'portico', program: 'clients/portico', args: ['http', 'session'] },
  { name: 'portico, 2026-07-28', program: 'clients/portico', args: ['http', 'modern'] },
  { name: OFFICIAL_2, program: 'clients/official-2', args: ['http', 'session'] },
  { name: OFFICIAL_1, program: 'clients/official-1', args: ['http'] },
]

const CLIENTS_STDIO: readonly Contestant[] = [
  { name: 'bare', program: 'clients/bare', args: ['stdio'] },
  { name: 'portico', program: 'clients/portico', args: ['stdio', 'session'] },
  { name: 'portico, 2026-07-28', program: 'clients/portico', args: ['stdio', 'modern'] },
  { name: OFFICIAL_2, program: 'clients/official-2', args: ['stdio', 'session'] },
  { name: OFFICIAL_1, program: 'clients/official-1', args: ['stdio'] },
]

const STARTS: readonly Contestant[] = [
  { name: 'bare', program: 'start/bare' },
  { name: 'bare with Zod', program: 'start/bare-zod' },
  { name: 'portico', program: 'start/portico' },
  { name: 'portico with Zod', program: 'start/portico-zod' },
  { name: OFFICIAL_2, program: 'start/official-2' },
  { name: OFFICIAL_1, program: 'start/official-1' },
  { name: 'tmcp', program: 'start/tmcp' },
]

const SCHEMAS: readonly Contestant[] = (['json', 'zod', 'valibot', 'arktype'] as const).flatMap((library) => [
  { name: library, program: 'memory/schemas', args: [library] },
  ...(library === 'json' ? [] : [{ name: `${library} alone`, program: 'memory/schemas', args: [library, 'alone'] }]),
])

/** The programs of which `prepare.ts` also makes one file each. */
export const BUNDLED: readonly string[] = STARTS.map(({ program }) => program)

export function bundled(contestant: Contestant): Contestant {
  return { ...contestant, program: `bundled/${contestant.program}` }
}

function server(name: string, file: string, era: Era, args: readonly string[] = ['http']): Contestant {
  return { name, program: `servers/${file}`, args, era }
}

/** Three rounds of so many, ten thousand sessions in all; a short run is content with fewer. */
function many({ ms }: Pace, count: number) {
  return ms < 1000 ? { rounds: 1, count: 500, warmMs: 0, inFlight: 1 } : { rounds: 3, count, warmMs: 0, inFlight: 1 }
}

function unlimited(contestants: readonly Contestant[]): readonly Contestant[] {
  return contestants.map((one) => ({ ...one, env: { BENCH_UNLIMITED: '1' } }))
}

function inFlight(plan: (count: number) => Plan): readonly Case[] {
  return [1, 32, 256].map((count) => ({ name: `${count} in flight`, plan: plan(count) }))
}
