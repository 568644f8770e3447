/** `npm run load`: puts a server in a process of its own under load, prints what it took and writes it down. */

import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Figure, isMissed } from './figure.ts'
import { type Size, STAGES } from './stages.ts'

const FULL: Size = {
  clients: 1000,
  calls: 20,
  listeners: 10_000,
  floodBytes: 400e6,
  overloadMs: 3000,
  fairnessMs: 6000,
}
const SHORT: Size = { clients: 100, calls: 5, listeners: 500, floodBytes: 40e6, overloadMs: 800, fairnessMs: 600 }

const sdk = JSON.parse(readFileSync(new URL('../../packages/sdk/package.json', import.meta.url), 'utf8'))
const PAGE = fileURLToPath(new URL('../../docs/load.md', import.meta.url))

const USAGE = `usage: npm run load -- [options]

  --check         fail when a bound is not held
  --short         a tenth of everything; proves that it runs, and is not written down
  --stage <name>  only this one; may be given several times

stages:
${STAGES.map(({ name, title }) => `  ${name.padEnd(10)} ${title}`).join('\n')}`

const { values } = parseArgs({
  options: {
    check: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    stage: { type: 'string', multiple: true },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

process.exitCode = values.help ? help() : await main()

function help(): number {
  console.log(USAGE)
  return 0
}

async function main(): Promise<number> {
  const unknown = values.stage?.find((name) => !STAGES.some((stage) => stage.name === name))
  if (unknown !== undefined) {
    console.error(`no stage is named "${unknown}"\n\n${USAGE}`)
    return 2
  }
  const tables: string[] = []
  let missed = 0
  for (const stage of STAGES.filter(({ name }) => values.stage?.includes(name) ?? true)) {
    const figures = await stage.run(values.short ? SHORT : FULL)
    console.log(`\n${stage.title}\n${figures.map(toLine).join('\n')}`)
    missed += figures.filter(isMissed).length
    tables.push(`## ${stage.title}\n\n| | measured | bound |\n|---|---|---|\n${figures.map(toRow).join('\n')}`)
  }
  if (!values.short && values.stage === undefined) writeFileSync(PAGE, toPage(tables))
  if (missed > 0) console.error(`\n${missed} not held`)
  return values.check && missed > 0 ? 1 : 0
}

function toPage(tables: readonly string[]): string {
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  return `# Under load

<!-- Made by npm run load. -->

One server in a process of its own, clients in another, both on this machine over loopback. \`npm run load -- --check\`
measures again and fails when a bound of the right column is not held.

Machine: ${machine}, ${process.platform} ${process.arch}; mean load of the machine meanwhile ${loadavg()[1]?.toFixed(1)}. Node ${process.versions.node}, @portico/sdk ${sdk.version},
run from source.

${tables.join('\n\n')}
`
}

function boundOf({ most, least }: Figure): string {
  return most !== undefined ? `at most ${most}` : least !== undefined ? `at least ${least}` : ''
}

function toLine(figure: Figure): string {
  const words = boundOf(figure)
  const bound = words === '' ? '' : ` (${words})${isMissed(figure) ? ' MISSED' : ''}`
  return `  ${figure.name.padEnd(62)} ${toText(figure)}${bound}`
}

function toRow(figure: Figure): string {
  return `| ${figure.name} | ${toText(figure)} | ${boundOf(figure)} |`
}

function toText({ value, unit }: Figure): string {
  if (Number.isNaN(value)) return `nothing measured${unit === '' ? '' : ` (${unit})`}`
  const number = value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(1)
  return unit === '' ? number : `${number} ${unit}`
}
