/** `portico load`: how a tool holds up under many calls. Only the server that was named is called. */

import { CliError, EXIT_CODES } from '../../../exit-codes.ts'
import { type LoadPlan, type LoadReport, runLoad } from '../../load-run.ts'
import { readArguments } from '../../parse/arguments.ts'
import type { CommandInput } from '../../parse/command.ts'
import { findTool } from '../../parse/find-tool.ts'
import { requestOptionsOf, targetOptionsOf, withTarget } from '../../target/target.ts'
import { isServerWord, splitTarget } from '../../target/target-kind.ts'
import { textOfResult } from '../../terminal/content.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'
import { toLine } from '../../terminal/plain-text.ts'

const MAX = { requests: 100_000, concurrency: 256, rate: 10_000, duration: 600 } as const
const BAR = 40

export async function run(input: CommandInput, io: Io): Promise<number> {
  const { target, rest } = splitTarget(input, isServerWord)
  const [name, ...words] = rest
  if (name === undefined) throw new CliError('usage', 'load: <tool> is missing: the tool to call')
  const plan = planOf(input)
  return withTarget(target, io, targetOptionsOf(input), async (open) => {
    const tool = findTool(await open.tools(), name, open.label)
    const json = typeof input.flags.args === 'string' ? input.flags.args : undefined
    const args = await readArguments(words, json, tool, io)
    const options = requestOptionsOf(input, io)
    const call = async (): Promise<string | undefined> => {
      const result = await open.callTool(tool.name, args, options)
      return result.isError === true ? toLine(textOfResult(result)) : undefined
    }
    const report = await runLoad(plan, call, io.signal, (calls) => io.progress(`${counted(calls, 'call')} …`))
    io.progress(undefined)
    io.out(input.json ? JSON.stringify(report) : describe(report, io))
    return report.failed === 0 && report.calls > 0 ? EXIT_CODES.ok.code : EXIT_CODES.failed.code
  })
}

function planOf({ flags }: CommandInput): LoadPlan {
  const read = (name: keyof typeof MAX, fallback: number): number => {
    const value = flags[name] ?? fallback
    if (typeof value === 'number' && value > 0 && value <= MAX[name] && (name === 'rate' || Number.isInteger(value)))
      return value
    throw new CliError('usage', `load: --${name} takes a number from 1 to ${MAX[name]}, not "${String(value)}"`)
  }
  return {
    requests: read('requests', 100),
    concurrency: read('concurrency', 10),
    durationMs: read('duration', 60) * 1000,
    ...(flags.rate !== undefined && { rate: read('rate', 1) }),
  }
}

function describe({ calls, failed, seconds, perSecond, latencyMs, histogram, errors }: LoadReport, io: Io): string {
  const most = Math.max(1, ...histogram.map((row) => row.calls))
  const width = String(histogram.at(-1)?.upToMs ?? '').length
  const bars = histogram.map(
    (row) =>
      `  ≤ ${String(row.upToMs).padStart(width)} ms  ${'█'.repeat(Math.ceil((row.calls / most) * BAR))} ${row.calls}`,
  )
  const { p50, p95, p99, max } = latencyMs
  const times = Object.entries({ p50, p95, p99, max }).map(([name, ms]) => `${name} ${milliseconds(ms)}`)
  return [
    `${counted(calls, 'call')} in ${seconds.toFixed(1)} s: ${perSecond.toFixed(1)} a second, ${failed} failed`,
    times.join('  '),
    ...bars,
    ...Object.entries(errors).map(([message, count]) => io.paint.red(`  ${count} × ${toLine(message)}`)),
  ].join('\n')
}

function milliseconds(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}
