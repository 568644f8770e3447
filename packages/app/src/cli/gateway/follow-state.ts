/**
 * Whether the state that gateways share answers, for whoever looks at the log: a line when it goes away, one each minute
 * until it is back, and one then. Everything that uses it fails meanwhile, and says no more than this does.
 */

import type { SharedState } from '@portico/host/state'
import { awayIn } from '@portico/sdk/internal'
import type { Io } from '../terminal/io.ts'
import { toLine } from '../terminal/plain-text.ts'

const REMIND_MS = 60_000
const MEANWHILE =
  'Calls that need no state go on; sessions, tasks and sign-ins to renew fail until it is back, which is noticed by itself.'

/** Tells every change until the function that comes back is called. */
export function followState(state: SharedState | undefined, io: Pick<Io, 'say' | 'paint'>): () => void {
  if (state === undefined) return () => {}
  let away: { readonly since: number; readonly timer: NodeJS.Timeout } | undefined
  const seconds = (): number => Math.round((performance.now() - (away?.since ?? 0)) / 1000)
  const remind = (): void =>
    io.say(`${io.paint.red('still away')}: the shared state has not answered for ${seconds()} s.`)
  const end = (): void => {
    clearInterval(away?.timer)
    away = undefined
  }
  const unfollow = state.onAvailable((available) => {
    if (available) {
      const lasted = away === undefined ? '' : `, after ${seconds()} s away`
      end()
      io.say(`${io.paint.green('back')}: the shared state answers${lasted}.`)
      return
    }
    end()
    const { since, reason } = state.availability()
    const when = `${new Date(since).toISOString().slice(0, 19)}Z`
    const why = reason === undefined ? '' : ` ${toLine(reason.replace(/ The next call tries again\.$/, ''), 300)}`
    io.say(`${io.paint.red('away')}: the shared state does not answer since ${when}.${why} ${MEANWHILE}`)
    away = { since: performance.now(), timer: setInterval(remind, REMIND_MS).unref() }
  })
  return () => {
    end()
    unfollow()
  }
}

/** Whether an error says only that the state is away, which has been said. */
export function isToldByState(error: unknown, state: SharedState | undefined): boolean {
  return state !== undefined && !state.availability().available && awayIn(error) !== undefined
}
