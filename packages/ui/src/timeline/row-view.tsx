/** One message in the list: when, on which lane, which way, what, and how long its answer took. */

import { ArrowLeftIcon, ArrowRightIcon, BellIcon, CrossCircledIcon } from '@radix-ui/react-icons'
import type { TimelineRow } from 'portico/web-api'
import { memo } from 'react'
import { toDuration, toSize, toVisible } from '../app/text/text.ts'
import { cutText } from '../parts/text-safety.ts'
import classes from './row-view.module.css'

export const ROW_HEIGHT = 34
const MAX_LANES = 6

interface RowViewProps {
  readonly row: TimelineRow | undefined
  readonly lane: number
  readonly lanes: number
  /** Of the same call as what is chosen. */
  readonly isRelated: boolean
}

/** Drawn again only when something of it changes. */
export const RowView = memo(function RowView({ row, lane, lanes, isRelated }: RowViewProps) {
  if (row === undefined) return <div className={classes.waiting} />
  const { at, direction, kind, method, summary, durationMs, lost, bytes, server } = row
  return (
    <div className={classes.row} data-kind={lost === undefined ? kind : 'error'} data-related={isRelated || undefined}>
      <span className={classes.time}>{toTime(at)}</span>
      <span className={classes.gutter} style={{ width: lanes * 12 }} aria-hidden="true">
        {Array.from({ length: lanes }, (_, place) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: lanes are their number
            key={place}
            className={classes.lane}
            data-lane={place}
            data-here={place === lane || undefined}
          />
        ))}
      </span>
      <span className={classes.way}>
        <Way direction={direction} kind={kind} />
      </span>
      <span className={classes.method}>
        <span className={classes.shortServer}>{toVisible(server)}</span>
        {toVisible(method === '' ? UNNAMED[kind] : method)}
        {kind === 'response' && <span className={classes.answer}> · answer</span>}
      </span>
      <span className={classes.summary}>
        <span className={classes.server}>{toVisible(server)}</span>
        {toVisible(cutText(lost === undefined ? summary : `${summary} — no answer: ${lost}`, 200).text)}
      </span>
      <span className={classes.duration}>
        {durationMs !== undefined && (
          <>
            <span
              className={classes.bar}
              data-slow={durationMs > 1_000 || undefined}
              style={{ width: `${barWidth(durationMs)}%` }}
            />
            <span className={classes.number}>{toDuration(durationMs)}</span>
          </>
        )}
        {durationMs === undefined && kind === 'request' && <span className={classes.number}>…</span>}
      </span>
      <span className={classes.size}>{kind !== 'closed' && toSize(bytes)}</span>
    </div>
  )
})

/** What has no method of its own, or none that is known any more. */
const UNNAMED: { readonly [kind in TimelineRow['kind']]: string } = {
  request: 'request',
  response: 'answer',
  error: 'error',
  notification: 'notification',
  closed: 'connection closed',
}

function Way({ direction, kind }: Pick<TimelineRow, 'direction' | 'kind'>) {
  const words = `${direction === 'out' ? 'To' : 'From'} the server, ${kind}`
  if (kind === 'closed') return <CrossCircledIcon aria-label="The connection ended" />
  if (kind === 'error') return <CrossCircledIcon aria-label={words} />
  if (kind === 'notification') return <BellIcon aria-label={words} />
  return direction === 'out' ? <ArrowRightIcon aria-label={words} /> : <ArrowLeftIcon aria-label={words} />
}

/** From 1 ms to a minute, each ten times as long a third longer. */
function barWidth(durationMs: number): number {
  return Math.min(100, Math.max(3, (Math.log10(Math.max(1, durationMs)) / Math.log10(60_000)) * 100))
}

export function toTime(at: number): string {
  const date = new Date(at)
  const two = (value: number) => String(value).padStart(2, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, '0')}`
}

/** Connections by the lane that they keep as long as the page is open; many share the last one. */
export class Lanes {
  readonly #known = new Map<string, number>()

  of(connection: string): number {
    const known = this.#known.get(connection)
    if (known !== undefined) return known
    const lane = Math.min(this.#known.size, MAX_LANES - 1)
    this.#known.set(connection, lane)
    return lane
  }

  get count(): number {
    return Math.max(1, Math.min(MAX_LANES, this.#known.size))
  }
}
