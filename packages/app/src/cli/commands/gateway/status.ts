/** `portico status`: the gateways that share one state, what each does, and whether the database answers. */

import { listClusterReplicas, type ReplicaView } from '@portico/host/cluster'
import type { LoadedConfig } from '@portico/host/config'
import { listReplicas, type Replica, type StateStatus, sealStore } from '@portico/host/state'
import { CliError, EXIT_CODES } from '../../../exit-codes.ts'
import { openStateToLook } from '../../gateway/gateway-state.ts'
import { requireSettings } from '../../gateway/require-settings.ts'
import { readConfig } from '../../host.ts'
import type { CommandInput } from '../../parse/command.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'
import { toTable } from '../../terminal/table.ts'

interface ShownReplica {
  readonly name: string
  readonly machine: string
  readonly pid: number
  /** Where clients reach it. */
  readonly address: string
  /** Where the other gateways reach it. */
  readonly url: string
  readonly sessions: number
  readonly running: number
  /** Callers that made a request since it started. */
  readonly callers: number
  readonly state: 'ready' | 'not ready' | 'leaving'
  readonly upSeconds: number
  /** Since it last said that it is there. */
  readonly lagMs: number
}

export async function run({ positionals, json }: CommandInput, io: Io): Promise<number> {
  const config = await readConfig(io, positionals[0])
  const [waiting] = config.untrusted
  if (waiting !== undefined && !config.extras.some(({ gateway }) => gateway !== undefined)) throw untrusted(waiting)
  const { state } = requireSettings(config, io)
  if (state === undefined) throw nothingShared(positionals[0], config)
  const found = await openStateToLook(state, io)
  if (typeof found === 'string') {
    const reason = 'is not there yet: the first gateway that serves makes it'
    return tell({ kind: 'sqlite', place: found, available: false, tookMs: 0, reason }, [], json, io)
  }
  const { opened, keys } = found
  try {
    const store = await opened.status()
    if (!store.available) return tell(store, [], json, io)
    const rows = await listReplicas(sealStore(opened.store, keys))
    const views = await listClusterReplicas({ store: opened.store, keys })
    return tell(store, toShown(rows, views), json, io)
  } finally {
    await opened.close()
  }
}

function untrusted({ file }: LoadedConfig['untrusted'][number]): CliError {
  const remedy = `Read it, then trust it (\`portico servers trust\`), or name it: \`portico status ${file}\`.`
  return new CliError('denied', `No file was named, and ${file} is not used: nobody has trusted it yet`, remedy)
}

function nothingShared(named: string | undefined, { extras, files }: LoadedConfig): CliError {
  const file = named ?? extras.find(({ gateway }) => gateway !== undefined)?.file
  if (file === undefined) {
    const remedy = 'Name the file of the gateways: `portico status <file>`.'
    return new CliError('config', `No file was named, and there is no gateway in ${files.join(', ')}`, remedy)
  }
  const remedy = 'Say there where gateways keep what they share, as in `"state": { "sqlite": "state.db" }`.'
  return new CliError('config', `${file} has no \`gateway.state\`: nothing is shared`, remedy)
}

function toShown(rows: readonly Replica[], views: readonly ReplicaView[]): readonly ShownReplica[] {
  const byName = new Map(views.map((view) => [view.name, view]))
  const now = Date.now()
  return rows.flatMap(({ id, machine, pid, startedAt, seenAt, facts }) => {
    // A command that looks at the same state serves nobody.
    if (facts.serves !== true) return []
    const view = byName.get(String(facts.replica))
    return [
      {
        name: view?.name ?? id.slice(0, 8),
        machine,
        pid,
        address: typeof facts.address === 'string' ? facts.address : '',
        url: view?.url ?? '',
        sessions: view?.sessions ?? 0,
        running: Number(facts.running ?? 0),
        callers: Number(facts.callers ?? 0),
        state: view?.leaving === true ? 'leaving' : facts.ready === true ? 'ready' : 'not ready',
        upSeconds: Math.round((now - startedAt) / 1000),
        lagMs: Math.max(0, now - seenAt),
      },
    ]
  })
}

function tell(store: StateStatus, replicas: readonly ShownReplica[], json: boolean, io: Io): number {
  const code = store.available ? EXIT_CODES.ok.code : EXIT_CODES.failed.code
  if (json) {
    io.out(JSON.stringify({ store, replicas }))
    return code
  }
  const { kind, place, tookMs, reason } = store
  io.say(`${kind} ${place}: ${store.available ? `answers in ${tookMs} ms` : io.paint.red(reason ?? 'is away')}`)
  if (!store.available) return code
  const rows = replicas.map(({ name, address, machine, pid, state, sessions, running, callers, upSeconds, lagMs }) => [
    name,
    address,
    `${machine}:${pid}`,
    state,
    counted(sessions, 'session'),
    counted(running, 'call'),
    counted(callers, 'caller'),
    `up ${upSeconds} s`,
    `seen ${lagMs} ms ago`,
  ])
  if (rows.length === 0) io.say('No gateway serves from it.')
  else io.out(toTable(rows, io))
  return code
}
