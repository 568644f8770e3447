/**
 * Every pair of a client and a server as a trial. The clients of one server come one after another, through one gateway that
 * listens and those that clients start; all outcomes end up in one table.
 */

import type { ClientUnderTest } from '../interop/client-under-test.ts'
import type { Report } from '../support/report.ts'
import type { Plan } from '../support/suite.ts'
import { withLimit } from '../support/wait.ts'
import { connectClient } from './clients.ts'
import { FEATURES, tryFeature } from './features.ts'
import { type ListeningFront, listenFront } from './front.ts'
import { openServer, type Place } from './servers.ts'
import { type Mark, type Row, toTable } from './table.ts'
import { CLIENTS, nameOf, SERVERS, shortPairs, type Variant } from './variants.ts'

const LIMIT_MS = 30_000

export interface Choice {
  /** Words of which the name of a client, or of a server, has to hold one. */
  readonly client?: readonly string[] | undefined
  readonly server?: readonly string[] | undefined
  readonly feature?: readonly string[] | undefined
  readonly short: boolean
}

export function planPairs({ client: clients, server: servers, feature, short }: Choice): Plan {
  const isNamed = (texts: readonly string[] | undefined, one: Variant): boolean =>
    texts === undefined || texts.some((text) => nameOf(one).includes(text))
  const all = short
    ? shortPairs()
    : SERVERS.flatMap((server) => CLIENTS.map((client): [Variant, Variant] => [client, server]))
  const pairs = all.filter(([client, server]) => isNamed(clients, client) && isNamed(servers, server))
  const order = [...new Set(pairs.map(([, server]) => nameOf(server)))]
  pairs.sort(([, a], [, b]) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)))
  const current = new OneServer()
  const rows: Row[] = []
  return {
    trials: pairs.map(([client, server]) => ({
      name: `${nameOf(client)} → ${nameOf(server)}`,
      run: async (report) => {
        const { place, front } = await current.of(server)
        const connect = () => connectClient(client, server, place, front)
        rows.push(await runPair({ client, server, connect }, feature, report))
      },
    })),
    after: () => current.close(),
    summary: () => toTable(rows),
  }
}

interface Opened {
  readonly place: Place
  readonly front: ListeningFront
  close(): Promise<void>
}

/** The server that is visited now, with a gateway in front; the one before is closed. */
class OneServer {
  #name: string | undefined
  #opened: Opened | undefined

  async of(server: Variant): Promise<Opened> {
    if (this.#opened !== undefined && this.#name === nameOf(server)) return this.#opened
    await this.close()
    const opened = await openServer(server)
    const front = await listenFront(opened.place, server.version)
    const close = async (): Promise<void> => {
      await front.close()
      await opened.close()
    }
    this.#name = nameOf(server)
    this.#opened = { place: opened.place, front, close }
    return this.#opened
  }

  async close(): Promise<void> {
    const opened = this.#opened
    this.#opened = undefined
    await opened?.close()
  }
}

interface Pair {
  readonly client: Variant
  readonly server: Variant
  connect(): Promise<ClientUnderTest>
}

async function runPair(
  { client, server, connect }: Pair,
  only: readonly string[] | undefined,
  report: Report,
): Promise<Row> {
  const marks = new Map<string, Mark>()
  const failed = (feature: string, error: unknown): void => {
    marks.set(feature, 'fails')
    report.fail(feature, error)
  }
  try {
    const caller = await withLimit(connect(), LIMIT_MS, 'connect')
    for (const feature of FEATURES) {
      const pair = { caller, client, server }
      if (only?.includes(feature.name) === false || feature.when?.(pair) === false) continue
      try {
        marks.set(feature.name, await withLimit(tryFeature(feature, pair), LIMIT_MS, feature.name))
      } catch (error) {
        failed(feature.name, error)
      }
    }
    await withLimit(caller.close(), LIMIT_MS, 'close')
  } catch (error) {
    failed('tools', error)
  }
  return { client, server, marks }
}
