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
    about: 'memory of an open event stream, sessions',
    axis: 'idle',
    case: 'event stream',
    limit: { contestant: 'bare', atMost: 1.2 },
  },
  {
    about: 'memory of an open event stream, 2026-07-28',
    axis: 'idle',
    case: 'event stream',
    ours: 'portico, 2026-07-28',
    limit: { contestant: 'bare', atMost: 1.2 },
  },
  {
    about: 'smallest server and stdio, bundled',
    axis: 'bytes',
    case: 'bundle',
    value: { atMost: 60_000, guard: 118_500 },
    why: 'What has to answer at once is there: framing, JSON-RPC, sessions and stdio 27 kB; tools, lists and the endpoint 34 kB; five revisions and the method table 9 kB; schemas and the check of JSON Schema 11 kB; resources, prompts, completion, change notices and open listens 12 kB; mounting, adopting and extensions 4 kB; rules, option tables, load and the slow watch 11 kB. The JSON Schema engine, asking and large results are loaded when they are needed; URI templates, relays and formats come with what is imported for them.',
  },
  { about: 'packages installed', axis: 'install', case: 'packages', value: { atMost: 8 } },
  { about: 'bytes installed', axis: 'install', case: 'bytes', value: { atMost: 8_000_000 } },
  {
    about: 'type-check, 300 tools against their schemas alone',
    axis: 'types',
    case: '300 tools',
    limit: { contestant: 'schemas alone', atMost: 2 },
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
  ...(['32 in flight', '32 in flight, 2026-07-28'] as const).map((of) => ({
    about: `gateway, a relayed call against the bare one, ${of}`,
    axis: 'gateway-relay',
    case: of,
    limit: { contestant: 'bare, no gateway', atMost: 2.2, guard: 7 },
    why: 'A relay is two HTTP exchanges where the bare call is one, and node:http’s client costs more than its server: the bare proxy, which checks nothing, takes three to four times the bare call. The rest is what watches over a call on its way (view, limits, shares, retries, the caller’s own connection).',
  })),
  ...(
    [
      ['bun', 2.4],
      ['deno', 3],
      ['workerd', undefined],
    ] as const
  ).map(([runtime, guard]) => ({
    about: `fetch door on ${runtime}`,
    axis: 'fetch-runtimes',
    case: runtime,
    limit: { contestant: 'bare', atMost: 1.4, ...(guard !== undefined && { guard }) },
    why: 'Bun and Deno make the headers of a request when the first is looked at, which a bare handler does not do, and text that is checked to be UTF-8 is decoded apart from the reading.',
  })),
  {
    about: 'host, a guarded call against the client’s',
    axis: 'host-guarded',
    case: '32 in flight',
    limit: { contestant: 'portico client', atMost: 2, guard: 3.2 },
    why: 'Each call is decided, written to the audit log before and after it is made, and what it brings is looked at.',
  },
  {
    about: 'session call with Valkey against no store',
    axis: 'stores',
    case: 'sessions',
    ours: 'portico, Valkey',
    limit: { contestant: 'portico', atMost: 1.6 },
  },
  // That it does not touch the store at all is a test (`cluster-traffic.test.ts`); this is noise alone.
  ...(['SQLite', 'Valkey', 'PostgreSQL'] as const).map((store) => ({
    about: `2026-07-28 call with ${store} against no store`,
    axis: 'stores',
    case: '2026-07-28',
    ours: `portico, ${store}`,
    limit: { contestant: 'portico', atMost: 1.2 },
  })),
  {
    about: '2026-07-28 call, three replicas against one',
    axis: 'replicas',
    case: '2026-07-28',
    ours: 'portico, 3 replicas',
    limit: { contestant: 'portico, 1 replica', atMost: 1.2 },
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
    limit: { contestant: 'portico, 17 live', atMost: 1.2 },
  },
  {
    about: 'whole host, first answer with three dead servers',
    axis: 'host-first',
    case: 'host, a call',
    ours: 'portico, 17 live and 3 dead',
    limit: { contestant: 'portico, 17 live', atMost: 1.2 },
  },
  {
    about: 'whole host, all tools with three dead servers',
    axis: 'host-first',
    case: 'host, all tools',
    ours: 'portico, 17 live and 3 dead',
    limit: { contestant: 'portico, 17 live', atMost: 1.2 },
  },
  {
    about: 'whole host, first model turn with three dead servers',
    axis: 'host-first',
    case: 'host, a model’s turn',
    ours: 'portico, 17 live and 3 dead',
    // In ms. Nothing tells a slow server from one that never answers: a turn waits a tenth of a second for one more.
    value: { atMost: 300 },
  },
  {
    about: 'portico --version',
    axis: 'cli',
    case: 'start',
    ours: 'portico --version',
    limit: { contestant: 'bare node', atMost: 1.5 },
  },
  ...(
    [
      ['task in memory', 'plain call', 100],
      ['task in SQLite', 'task in memory', 10],
      ['task by BullMQ on Redis', 'task in memory', 10],
      ['task by BullMQ on PostgreSQL', 'task in memory', 30],
    ] as const
  ).map(([ours, contestant, atMost]) => ({
    about: `${ours}, from its call to its result`,
    axis: 'tasks',
    case: 'create to result',
    ours,
    limit: { contestant, atMost },
    // In ms: what FastMCP's documentation gives its worker to pick a task up.
    value: { atMost: 250 },
  })),
  {
    about: 'a change of a task, told to a thousand listeners',
    axis: 'tasks',
    case: '1000 listeners',
    ours: 'CPU for each, both sides',
    // In ms: the time itself depends on what else the machine does.
    value: { atMost: 3 },
  },
  {
    about: 'a task that waits in SQLite',
    axis: 'tasks',
    case: '10000 tasks that wait',
    ours: 'each, in SQLite',
    // In bytes.
    value: { atMost: 1024 },
  },
]
