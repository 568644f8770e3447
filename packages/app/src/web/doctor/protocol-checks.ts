/** What a server is worth once it is reached: that it speaks the protocol, answers, and lists what can be used. */

import { performance } from 'node:perf_hooks'
import { HostError } from '@portico/host/errors'
import type { Client } from '@portico/sdk/client'
import { timeLimit } from '@portico/sdk/internal'
import type { DoctorCheck } from '../api-types/api.ts'
import { type Examination, type ExaminedServer, failed, ok, skipped, warning } from './checks.ts'

const CONNECT_MS = 10_000
const NEWEST = '2026-07-28'

export const PROTOCOL_EXAMINATIONS: readonly Examination[] = [examineProtocol]

async function examineProtocol(examined: ExaminedServer): Promise<readonly DoctorCheck[]> {
  const { host, config } = examined
  if (host.upstreams.state(config.name)?.state === 'disabled') {
    return [skipped('Protocol', 'The server is disabled: enable it to see more')]
  }
  try {
    const signal = timeLimit(CONNECT_MS, examined.signal)
    const client = await host.upstreams.client(config.name, { signal })
    return [checkRevision(client), await checkAnswer(client), ...checkLists(examined)]
  } catch (error) {
    return [explain(examined, error)]
  }
}

function checkRevision({ version, server }: Client): DoctorCheck {
  const named = `${server.info?.name ?? 'unnamed'} ${server.info?.version ?? ''}`.trim()
  if (version === NEWEST) return ok('Protocol', `${named} speaks ${version}, the newest revision`)
  return ok('Protocol', `${named} speaks ${version}; newer ones exist, and nothing is lost`)
}

async function checkAnswer(client: Client): Promise<DoctorCheck> {
  const started = performance.now()
  try {
    await client.ping({ timeoutMs: 5_000 })
    const tookMs = Math.round(performance.now() - started)
    if (tookMs < 1_000) return ok('Answer', `In ${tookMs} ms`)
    return warning('Answer', `It took ${tookMs} ms`, 'Calls will be slow; look at what the server is busy with.')
  } catch (error) {
    const words = error instanceof Error ? error.message : String(error)
    return failed('Answer', `It does not answer: ${words}`, 'Restart it, and look at its log.')
  }
}

const MAX_PROBLEMS = 20

function checkLists({ host, config }: ExaminedServer): DoctorCheck[] {
  const { name } = config
  const items = host.catalogue.items().filter(({ server }) => server === name)
  const problems = host.catalogue.problems().filter(({ server }) => server === name)
  const held = items.filter(({ quarantine }) => quarantine !== undefined)
  const hidden = items.filter(({ findings }) => findings.some(({ what }) => what !== 'mixed-scripts'))
  const odd = items.filter(({ findings }) => findings.some(({ what }) => what === 'mixed-scripts'))
  const clashes = host.catalogue.collisions().filter((clash) => clash.items.some(({ server }) => server === name))
  return [
    ok('Items', `${items.length} tools, resources and prompts can be listed`),
    ...problems
      .slice(0, MAX_PROBLEMS)
      .map(({ message }) => warning('Items', message, 'Report it to whoever makes the server.')),
    ...(held.length === 0
      ? []
      : [
          failed(
            'Approval',
            `${held.length} items changed since approval`,
            'Look at the differences, then approve them.',
          ),
        ]),
    ...(hidden.length === 0
      ? []
      : [
          warning('Hidden text', `${hidden.length} items hold characters that cannot be seen`, 'Read them before use.'),
        ]),
    ...(odd.length === 0
      ? []
      : [
          warning(
            'Names',
            `${odd.length} items have names with letters that look like others`,
            'Make sure that they are what you take them for.',
          ),
        ]),
    ...(clashes.length === 0 ? [] : [warning('Names', 'Some of its names are also used by another server')]),
  ]
}

function explain({ host, config }: ExaminedServer, error: unknown): DoctorCheck {
  const state = host.upstreams.state(config.name)
  const { data } = error instanceof HostError ? error : {}
  const { reason, remedy } = (data ?? {}) as { reason?: string; remedy?: string }
  const words = reason ?? state?.reason ?? (error instanceof Error ? error.message : String(error))
  return failed('Protocol', words.slice(0, 500), remedy ?? state?.remedy ?? 'Look at the log of the server.')
}
