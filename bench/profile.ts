/** `--profile`: our own server or client under Node's profiler and the usual load, and the functions that cost most. */

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { AXES, type Pace } from './axes.ts'
import { drive } from './drive.ts'
import { workFolder } from './prepare.ts'

/** Short names for what people want to profile; any axis can be named as well. */
const ALIASES: { readonly [name: string]: string } = { http: 'http-2026', sessions: 'http-sessions' }

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

export async function profile(name: string, pace: Pace): Promise<void> {
  const axis = AXES.find((one) => one.name === (ALIASES[name] ?? name))
  const variants = axis?.cases(pace) ?? []
  const chosen = variants.find((one) => one.name === '32 in flight') ?? variants.at(-1)
  const ours = chosen?.plan.contestants.find((one) => one.name === 'portico')
  if (axis === undefined || chosen === undefined || ours === undefined) throw new Error(`nothing to profile: ${name}`)
  const folder = join(workFolder, 'profile')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const nodeArgs = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200']
  const report = await drive({ ...chosen.plan, contestants: [{ ...ours, nodeArgs }], rounds: 3 })
  for (const { reason } of report.faults) console.log(`not measured: ${reason}`)
  console.log(`\n${axis.title}, ${chosen.name}: where Portico's process spends its time\n`)
  const files = readdirSync(folder).filter((file) => file.endsWith('.cpuprofile'))
  for (const file of files) console.log(toTop(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
}

const TOP = 40

function toTop({ nodes, samples, timeDeltas }: CpuProfile): string {
  const times = new Map<number, number>()
  samples.forEach((id, index) => {
    times.set(id, (times.get(id) ?? 0) + (timeDeltas[index] ?? 0))
  })
  const costs = new Map<string, number>()
  let total = 0
  for (const { id, callFrame } of nodes) {
    const time = times.get(id) ?? 0
    const { functionName, url, lineNumber } = callFrame
    if (functionName === '(idle)') continue
    total += time
    const place = url.replace(/^.*\/@portico\/sdk\/dist\//, 'sdk/').replace(/^file:.*\/node_modules\//, '')
    const key = `${functionName || '(anonymous)'}  ${place}${url === '' ? '' : `:${lineNumber + 1}`}`
    costs.set(key, (costs.get(key) ?? 0) + time)
  }
  const sorted = [...costs].sort((a, b) => b[1] - a[1])
  const own = sorted.filter(([key]) => key.includes('  sdk/')).reduce((sum, [, time]) => sum + time, 0)
  const lines = sorted.slice(0, TOP).map(([key, time]) => `${((time / total) * 100).toFixed(1).padStart(5)} %  ${key}`)
  return `${lines.join('\n')}\n\nof which in the SDK's own functions: ${((own / total) * 100).toFixed(1)} %`
}
