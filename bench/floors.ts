/**
 * The floors that `--check` holds a run against, one row each. `limit` is the bare loop of the same axis and case;
 * `peer` is the better of the two official SDKs there. A ratio is theirs through ours for peers, ours through theirs
 * for limits; `value` is a bound on our own figure. Where the goal is out of reach, `guard` is the nearest honest figure
 * with a little room: the run says that the goal is missed, and `--check` fails when the guard is.
 */

export interface Floor {
  readonly about: string
  readonly axis: string
  readonly case: string
  /** Whose figure is held against the floor; Portico's plain one unless given. */
  readonly ours?: string
  readonly limit?: {
    readonly contestant: string
    readonly atMost: number
    readonly plus?: number
    readonly guard?: number
  }
  readonly peer?: {
    readonly contestants: readonly string[]
    readonly atLeast: number
    /** Whose figure is taken off both sides: what is compared is what each adds to it. */
    readonly over?: string
  }
  readonly value?: { readonly atMost: number; readonly guard?: number }
  /** What stands between the goal and the guard. */
  readonly why?: string
}

const OFFICIAL = ['official 2.4.0', 'official 1.32.2'] as const
const GATEWAYS = ['mcp-proxy', 'supergateway'] as const
const OFFICIAL_MODERN = ['official 2.4.0'] as const

export const FLOORS: readonly Floor[] = [
  {
    about: 'HTTP tools/call, 2026-07-28',
    axis: 'http-2026',
    case: '32 in flight',
    limit: { contestant: 'bare', atMost: 1.3 },
    peer: { contestants: OFFICIAL_MODERN, atLeast: 8 },
  },
  {
    about: 'HTTP tools/call, sessions',
    axis: 'http-sessions',
    case: '32 in flight',
    limit: { contestant: 'bare', atMost: 1.3 },
    peer: { contestants: OFFICIAL, atLeast: 5.5 },
  },
  {
    about: 'stdio tools/call',
    axis: 'stdio',
    case: '32 in flight',
    limit: { contestant: 'bare', atMost: 1.5 },
    peer: { contestants: OFFICIAL, atLeast: 6.5 },
  },
  {
    about: 'in memory, JSON both ways',
    axis: 'memory',
    case: '32 in flight',
    limit: { contestant: 'bare', atMost: 2 },
    peer: { contestants: OFFICIAL, atLeast: 2.5 },
  },
  {
    about: 'in memory, by reference',
    axis: 'memory',
    case: '32 in flight',
    ours: 'portico by reference',
    peer: { contestants: OFFICIAL, atLeast: 5 },
  },
  {
    about: 'client call over HTTP',
    axis: 'client-http',
    case: '32 in flight',
    limit: { contestant: 'bare node:http', atMost: 1.4 },
    peer: { contestants: OFFICIAL, atLeast: 3.5 },
  },
  {
    about: 'client call over stdio',
    axis: 'client-stdio',
    case: '32 in flight',
    limit: { contestant: 'bare', atMost: 1.5 },
    peer: { contestants: OFFICIAL, atLeast: 1.7 },
  },
  {
    about: 'tools/list, 1,000 tools',
    axis: 'list',
    case: '1,000 tools',
    limit: { contestant: 'bare', atMost: 1.3 },
    peer: { contestants: OFFICIAL, atLeast: 20 },
  },
  {
    about: '1 MB result',
    axis: 'result',
    case: '1 MB',
    limit: { contestant: 'bare', atMost: 1.1 },
    peer: { contestants: [...OFFICIAL, 'tmcp', 'mcp-lite', 'fastmcp'], atLeast: 1 },
  },
  {
    about: '10,000 progress notifications, HTTP',
    axis: 'progress',
    case: 'HTTP',
    limit: { contestant: 'bare', atMost: 1.3 },
    peer: { contestants: OFFICIAL, atLeast: 4 },
  },
  {
    about: '10,000 progress notifications, stdio',
    axis: 'progress',
    case: 'stdio',
    limit: { contestant: 'bare', atMost: 1.3 },
    peer: { contestants: OFFICIAL, atLeast: 4 },
  },
  {
    about: 'start to first answer, no schema library',
    axis: 'start',
    case: 'plain',
    limit: { contestant: 'bare', atMost: 1.3 },
    peer: { contestants: OFFICIAL, atLeast: 2 },
  },
  {
    about: 'start to first answer, with Zod',
    axis: 'start',
    case: 'plain',
    ours: 'portico with Zod',
    // Bare Node, Zod's own import, and 30 ms.
    limit: { contestant: 'bare with Zod', atMost: 1, plus: 30 },
  },
  {
    about: 'heap of an idle session',
    axis: 'idle',
    case: 'session',
    value: { atMost: 2048 },
    peer: { contestants: OFFICIAL, atLeast: 5 },
  },
  {
    about: 'memory of an open event stream',
    axis: 'idle',
    case: 'event stream',
    limit: { contestant: 'bare', atMost: 1.2, guard: 1.6 },
    why: 'Each stream belongs to a session (0.8 kB), numbers its events, beats, and has a bounded queue; the bare server keeps nothing of the kind.',
  },
  {
    about: 'smallest server and stdio, bundled',
    axis: 'bytes',
    case: 'bundle',
    value: { atMost: 60_000, guard: 165_000 },
    why: 'The code of all features comes along with a server of tools alone, since one class offers them: JSON Schema and patterns 34 kB, asking 18 kB, five revisions 18 kB, resources, prompts and URI templates 16 kB.',
  },
  { about: 'packages installed', axis: 'install', case: 'packages', value: { atMost: 8 } },
  { about: 'bytes installed', axis: 'install', case: 'bytes', value: { atMost: 8_000_000 } },
  {
    about: 'type-check, 300 tools against their schemas alone',
    axis: 'types',
    case: '300 tools',
    limit: { contestant: 'schemas alone', atMost: 2, guard: 2.8 },
    why: 'To look at what the schemas describe, as any handler does, costs the compiler nearly as much by itself: see “schemas and their types”.',
  },
  {
    about: 'gateway, a call to a stdio server',
    axis: 'gateway',
    case: '32 in flight',
    peer: { contestants: GATEWAYS, atLeast: 2 },
  },
  {
    about: 'gateway, a call to a stdio server, 2026-07-28',
    axis: 'gateway',
    case: '32 in flight, 2026-07-28',
    peer: { contestants: GATEWAYS, atLeast: 2 },
  },
  {
    about: 'gateway, 50 servers against one',
    axis: 'gateway-servers',
    case: '32 in flight',
    ours: 'portico, 50 servers',
    limit: { contestant: 'portico', atMost: 1.2 },
  },
  {
    about: 'gateway, time that it adds to a call',
    axis: 'gateway-latency',
    case: '1 in flight',
    peer: { contestants: GATEWAYS, atLeast: 1, over: 'bare, no gateway' },
  },
  {
    about: 'host, first answer with three dead servers',
    axis: 'host-first',
    case: 'from start',
    ours: 'portico, 17 live and 3 dead',
    // Time on a shared machine is rough; whoever waited for a dead server would be seconds away.
    limit: { contestant: 'portico, 17 live', atMost: 1.2, plus: 50 },
  },
  {
    about: 'portico --version',
    axis: 'cli',
    case: 'start',
    ours: 'portico --version',
    limit: { contestant: 'bare node', atMost: 1.5 },
  },
]
