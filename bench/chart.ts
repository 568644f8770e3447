/** The chart of `docs/benchmarks.md`: for the axes that calls are made on, how many times the limit each library costs. */

import type { Figure } from './figures.ts'

const PANELS = [
  { axis: 'http-2026', title: 'HTTP, 2026-07-28' },
  { axis: 'http-sessions', title: 'HTTP, sessions' },
  { axis: 'stdio', title: 'stdio' },
  { axis: 'memory', title: 'client and server in memory' },
  { axis: 'client-http', title: 'client over HTTP' },
  { axis: 'client-stdio', title: 'client over stdio' },
] as const

const WIDTH = 760
const LABEL = 190
const ROW = 20
const HEAD = 34
/** The scale is logarithmic and ends here; the limit itself is the left edge. */
const MOST = 100

export function toChart(figures: readonly Figure[]): string {
  let y = 44
  const parts: string[] = []
  for (const { axis, title } of PANELS) {
    const rows = figures.filter((figure) => figure.axis === axis && figure.case === '32 in flight')
    const limit = rows.find(({ contestant }) => contestant.startsWith('bare'))
    const shown = rows.filter(({ contestant }) => !contestant.startsWith('bare'))
    if (limit === undefined || shown.length === 0) continue
    parts.push(`<text x="0" y="${y + 14}" class="t">${title}</text>`)
    y += HEAD - 10
    for (const row of shown) {
      parts.push(toBar(row, row.median / limit.median, y))
      y += ROW
    }
    y += 14
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-12 0 ${WIDTH + 24} ${y}" width="${WIDTH + 24}" height="${y}" role="img" aria-label="CPU per tools/call as a multiple of the bare loop">
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f } .t { font-weight: 600 } .n { fill: #57606a }
rect { fill: #a8b3c0 } .us { fill: #0b7285 }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .n { fill: #9da7b3 } rect { fill: #5b6672 } .us { fill: #3bc9db } }
</style>
<text x="0" y="22" class="n">CPU per tools/call, 32 in flight, as a multiple of the bare loop (logarithmic; shorter is better)</text>
${parts.join('\n')}
</svg>
`
}

function toBar(row: Figure, ratio: number, y: number): string {
  const room = WIDTH - LABEL - 60
  const length = Math.max(2, (Math.log(Math.max(1, ratio)) / Math.log(MOST)) * room)
  const mine = row.contestant.startsWith('portico') ? ' class="us"' : ''
  return [
    `<text x="${LABEL - 8}" y="${y + 13}" text-anchor="end">${row.contestant}</text>`,
    `<rect x="${LABEL}" y="${y + 3}" width="${Math.min(length, room).toFixed(1)}" height="12"${mine}/>`,
    `<text x="${LABEL + Math.min(length, room) + 6}" y="${y + 13}" class="n">${ratio.toFixed(ratio < 10 ? 2 : 0)} ×</text>`,
  ].join('')
}
