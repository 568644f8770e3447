/** What became of everything under kills and restarts, a row for each trial. */

import { toTable } from '../../support/table.ts'

export interface ReplicaRow {
  readonly name: string
  calls: number
  done: number
  /** Ended with an error that says that it was not sent, or that it may have been. */
  notSent: number
  unknown: number
  kills: number
  sessions: number
  sessionsLost: number
  subscriptions: number
  subscriptionsLost: number
  /** Tasks that callers were promised. */
  tasks: number
  tasksLost: number
  /** Ended with words that it may have happened. */
  tasksUnknown: number
  doubled: number
  /** In the rolling restart; undefined where there was none. */
  restartCalls?: number
  restartFailed?: number
  slowestStartMs: number
}

const HEAD = ['', 'calls', 'done', 'not sent', 'unknown', 'kills', 'doubled', 'sessions', 'lost', 'subscriptions']
const MORE = ['lost', 'tasks', 'lost', 'told as unknown', 'calls in restart', 'failed', 'slowest start']

export class ReplicaTally {
  readonly #rows: ReplicaRow[] = []

  row(name: string): ReplicaRow {
    const row: ReplicaRow = {
      name,
      calls: 0,
      done: 0,
      notSent: 0,
      unknown: 0,
      kills: 0,
      sessions: 0,
      sessionsLost: 0,
      subscriptions: 0,
      subscriptionsLost: 0,
      tasks: 0,
      tasksLost: 0,
      tasksUnknown: 0,
      doubled: 0,
      slowestStartMs: 0,
    }
    this.#rows.push(row)
    return row
  }

  toString(): string {
    if (this.#rows.length === 0) return ''
    return toTable([[...HEAD, ...MORE], ...this.#rows.map(toCells)])
  }
}

function toCells(row: ReplicaRow): string[] {
  const { name, calls, done, notSent, unknown, kills, doubled, sessions, sessionsLost } = row
  const {
    subscriptions,
    subscriptionsLost,
    tasks,
    tasksLost,
    tasksUnknown,
    restartCalls,
    restartFailed,
    slowestStartMs,
  } = row
  const figures = [calls, done, notSent, unknown, kills, doubled, sessions, sessionsLost, subscriptions]
  const more = [subscriptionsLost, tasks, tasksLost, tasksUnknown, restartCalls ?? '–', restartFailed ?? '–']
  return [name, ...figures, ...more, `${(slowestStartMs / 1000).toFixed(1)} s`].map(String)
}
