/** The messages in sight as spans of time, one lane for each connection. The list beside it says the same in words. */

import type { TimelineRow } from 'portico/web-api'
import { toDuration, toVisible } from '../app/text/text.ts'
import classes from './lane-chart.module.css'

interface LaneChartProps {
  readonly rows: readonly TimelineRow[]
  readonly chosen: number | undefined
  readonly onChoose: (id: number) => void
}

const WIDTH = 1_000
const HEIGHT = 18
const MAX_LANES = 6

export function LaneChart({ rows, chosen, onChoose }: LaneChartProps) {
  const connections = [...new Set(rows.map(({ connection }) => connection))].slice(0, MAX_LANES)
  if (rows.length < 2) return null
  const start = Math.min(...rows.map(({ at }) => at))
  const end = Math.max(...rows.map(({ at }) => at))
  const x = (at: number) => ((at - start) / Math.max(1, end - start)) * WIDTH
  return (
    <div className={classes.chart}>
      <div className={classes.names} aria-hidden="true">
        {connections.map((connection) => (
          // The connection's own name tells those of one server apart.
          <span key={connection}>{toVisible(connection)}</span>
        ))}
      </div>
      <svg
        className={classes.svg}
        viewBox={`0 0 ${WIDTH} ${connections.length * HEIGHT}`}
        style={{ height: connections.length * HEIGHT }}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${rows.length} messages on ${connections.length} connections within ${toDuration(end - start)}`}
      >
        {connections.map((connection, lane) => (
          <line
            key={connection}
            className={classes.line}
            x1={0}
            x2={WIDTH}
            y1={lane * HEIGHT + HEIGHT / 2}
            y2={lane * HEIGHT + HEIGHT / 2}
          />
        ))}
        {rows.map((row) => {
          const lane = connections.indexOf(row.connection)
          if (lane === -1 || (row.kind === 'response' && row.durationMs !== undefined)) return null
          const left = x(row.at)
          const width = row.kind === 'request' ? Math.max(3, x(start + (row.durationMs ?? 0))) : 3
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the list has the same for the keyboard
            <rect
              key={row.id}
              className={classes.span}
              data-kind={row.kind}
              data-chosen={row.id === chosen || undefined}
              x={Math.min(left, WIDTH - 3)}
              width={Math.min(width, WIDTH - left + 3)}
              y={lane * HEIGHT + 4}
              height={HEIGHT - 8}
              onClick={() => onChoose(row.id)}
            />
          )
        })}
      </svg>
      <span className={classes.scale}>{toDuration(end - start)}</span>
    </div>
  )
}
