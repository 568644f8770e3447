/**
 * The metrics of a gateway, one list: what each is called, what it means, and where its values come from. `/metrics`
 * shows them, and the operating guide has the same table.
 */

import type { Gateway } from '../gateway.ts'
import type { GatewayMetrics, Tally } from '../metrics.ts'

/** One value of a metric with what tells it from the others. */
interface Sample {
  readonly labels?: { readonly [name: string]: string }
  readonly value: number
}

/** A metric by the rules of Prometheus: a counter only grows, a gauge goes up and down. */
export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge'
  readonly help: string
  read(source: MetricSource): readonly Sample[]
}

/** What the values are read from, once for each scrape. */
interface MetricSource {
  readonly metrics: GatewayMetrics
  readonly health: ReturnType<Gateway['health']>
}

const MILLISECONDS = 1000
const IN_ORDER: ReadonlySet<string> = new Set(['ready', 'idle', 'starting', 'disabled'])

/** All metrics, in the order in which they are shown. */
export const GATEWAY_METRICS: readonly Metric[] = [
  {
    name: 'portico_gateway_calls_total',
    type: 'counter',
    help: 'Requests that ended, by server and by how they ended: ok, error, cancelled, refused.',
    read: ({ metrics }) => Object.entries(metrics.servers).flatMap(([server, tally]) => endingsOf(server, tally)),
  },
  {
    name: 'portico_gateway_call_seconds_total',
    type: 'counter',
    help: 'Time that ended requests took, by server. Divided by the calls it is their mean.',
    read: perServer(({ totalMs }) => totalMs / MILLISECONDS),
  },
  {
    name: 'portico_gateway_call_seconds_max',
    type: 'gauge',
    help: 'The longest request since the start, by server.',
    read: perServer(({ maxMs }) => maxMs / MILLISECONDS),
  },
  {
    name: 'portico_gateway_calls_running',
    type: 'gauge',
    help: 'Requests under way, by server.',
    read: perServer(({ running }) => running),
  },
  {
    name: 'portico_gateway_calls_parked',
    type: 'gauge',
    help: 'Requests that wait for an answer of their client.',
    read: ({ metrics }) => [{ value: metrics.parked }],
  },
  {
    name: 'portico_gateway_calls_abandoned_total',
    type: 'counter',
    help: 'Requests that were given up because no answer came.',
    read: ({ metrics }) => [{ value: metrics.abandoned }],
  },
  {
    name: 'portico_gateway_tasks',
    type: 'gauge',
    help: 'Requests under way that are tasks for their callers.',
    read: ({ metrics }) => [{ value: metrics.tasks }],
  },
  {
    name: 'portico_gateway_tasks_followed',
    type: 'gauge',
    help: 'Requests under way that are tasks at their servers.',
    read: ({ metrics }) => [{ value: metrics.followed }],
  },
  {
    name: 'portico_gateway_callers',
    type: 'gauge',
    help: 'Callers that made a request since the start.',
    read: ({ metrics }) => [{ value: Object.keys(metrics.principals).length }],
  },
  {
    name: 'portico_gateway_connections',
    type: 'gauge',
    help: 'Connections to servers that are kept for callers.',
    read: ({ metrics }) => [{ value: metrics.connections }],
  },
  {
    name: 'portico_gateway_server_up',
    type: 'gauge',
    help: '1 where a server can be used, 0 where it cannot.',
    read: ({ health }) =>
      Object.entries(health.servers).map(([server, { state }]) => ({
        labels: { server },
        value: IN_ORDER.has(state) ? 1 : 0,
      })),
  },
  {
    name: 'portico_gateway_ready',
    type: 'gauge',
    help: '1 while new callers are welcome, as `/readyz` says.',
    read: ({ health }) => [{ value: health.ok ? 1 : 0 }],
  },
  {
    name: 'portico_state_available',
    type: 'gauge',
    help: '1 while the state that gateways share can be reached, 0 while it cannot.',
    read: shared(({ available }) => (available ? 1 : 0)),
  },
  {
    name: 'portico_state_calls_total',
    type: 'counter',
    help: 'Calls to the state that gateways share.',
    read: shared(({ calls }) => calls),
  },
  {
    name: 'portico_state_failures_total',
    type: 'counter',
    help: 'Calls to the state that gateways share which got no answer.',
    read: shared(({ failures }) => failures),
  },
  {
    name: 'portico_state_replicas',
    type: 'gauge',
    help: 'Processes that share the state, as this one sees them.',
    read: shared(({ replicas }) => replicas),
  },
  {
    name: 'portico_process_resident_memory_bytes',
    type: 'gauge',
    help: 'Memory of the process.',
    read: () => [{ value: process.memoryUsage.rss() }],
  },
  {
    name: 'portico_process_cpu_seconds_total',
    type: 'counter',
    help: 'Processor time of the process.',
    read: () => [{ value: cpuSeconds() }],
  },
  {
    name: 'portico_process_uptime_seconds',
    type: 'gauge',
    help: 'Time since the process began.',
    read: () => [{ value: process.uptime() }],
  },
]

function endingsOf(server: string, { calls, errors, cancelled, refused }: Tally): readonly Sample[] {
  const counts = { ok: calls - errors - cancelled - refused, error: errors, cancelled, refused }
  return Object.entries(counts).map(([ending, value]) => ({ labels: { server, ending }, value }))
}

function perServer(read: (tally: Tally) => number): Metric['read'] {
  return ({ metrics }) =>
    Object.entries(metrics.servers).map(([server, tally]) => ({ labels: { server }, value: read(tally) }))
}

/** A gateway that shares nothing has all that it needs. */
const ALONE = { available: true, failures: 0, calls: 0, replicas: 1 }

function shared(read: (state: NonNullable<GatewayMetrics['state']>) => number): Metric['read'] {
  return ({ metrics: { state = ALONE } }) => [{ value: read(state) }]
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}
