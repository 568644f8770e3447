/** The metrics of a gateway as text, in the format that Prometheus and its relatives read (version 0.0.4). */

import type { Gateway } from '../gateway.ts'
import { GATEWAY_METRICS, type Metric } from './metric-list.ts'

/** The media type of the text. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * Writes the metrics of a gateway for Prometheus. Callers are counted, not named: names would be personal data, and a
 * series of their own each.
 *
 * @example
 * ```ts
 * import { createServer } from 'node:http'
 * import { createGateway, METRICS_TYPE, metricsText } from '@portico/host/gateway'
 * import { createCatalogue, createUpstreams } from '@portico/host/upstream'
 *
 * const upstreams = createUpstreams()
 * const gateway = createGateway({ upstreams, catalogue: createCatalogue(upstreams) })
 * createServer((_req, res) => res.setHeader('content-type', METRICS_TYPE).end(metricsText(gateway))).listen(9464, '127.0.0.1')
 * ```
 */
export function metricsText(gateway: Pick<Gateway, 'metrics' | 'health'>): string {
  const source = { metrics: gateway.metrics(), health: gateway.health() }
  return GATEWAY_METRICS.map((metric) => familyText(metric, metric.read(source))).join('')
}

function familyText({ name, type, help }: Metric, samples: ReturnType<Metric['read']>): string {
  const lines = samples.map(({ labels = {}, value }) => `${name}${labelsText(labels)} ${value}`)
  return [`# HELP ${name} ${escaped(help)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
}

function labelsText(labels: { readonly [name: string]: string }): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value).replaceAll('"', '\\"')}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}
