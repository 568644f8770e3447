/**
 * Replicas of Portico on one store, this process the first of them: `portico-replicas <count>`, and `portico-replicas passed` for
 * two of which one has the session and the other gets the calls. Without `BENCH_STATE` there is no store, and one server.
 */

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createCluster } from '@portico/host/cluster'
import { openState, type StateSetting } from '@portico/host/state'
import { serveHttp } from '@portico/sdk/http'
import { createServer, tool } from '@portico/sdk/server'
import { announce, cpuTime, type Ports } from '../control.ts'
import { ADD, add, INFO, NUMBERS } from '../work.ts'

const { BENCH_STATE: state, BENCH_REDIS: library } = process.env
const [count = '1'] = process.argv.slice(2)
const tools = { add: tool({ description: ADD, input: NUMBERS }, ({ a, b }) => add(a, b)) }

const own = await serve()
const others: Other[] = []
while (others.length < (count === 'passed' ? 1 : Number(count) - 1)) others.push(await startOther())
const ports = [own, ...others.map(({ port }) => port)]
announce(count === 'passed' ? { ports: ports.slice(1), opensAt: own } : { ports }, async () => {
  const times = await Promise.all(others.map(({ child }) => cpuOf(child)))
  return times.reduce((sum, time) => sum + time, cpuTime())
})

interface Other {
  readonly child: ChildProcess
  readonly port: number
}

async function serve(): Promise<number> {
  if (state === undefined) return (await serveHttp(createServer({ ...INFO, tools }), { port: 0 })).port
  // The benchmark wrote it.
  const setting = JSON.parse(state) as StateSetting
  const isRedis = 'redis' in setting && library !== undefined
  const { store, bus } = await openState(isRedis ? { ...setting, library: () => import(library) } : setting)
  const cluster = await createCluster({ store, bus })
  const server = createServer({ ...INFO, ...cluster.server, tools })
  await cluster.shareChanges(server)
  return (await serveHttp(server, { port: 0, sharing: cluster.sharing })).port
}

function startOther(): Promise<Other> {
  const child = fork(fileURLToPath(import.meta.url), ['1'], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('message', ({ ports: [port = 0] }: Ports) => resolve({ child, port }))
  })
}

function cpuOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('message', ({ cpu }: { cpu: number }) => resolve(cpu))
    child.send({ ask: 'cpu' })
  })
}
