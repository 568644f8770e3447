/** How many tasks may run at once. */

import { DEFAULT_TASKS_PER_SERVER, DEFAULT_TASKS_PER_SESSION, type HostTaskOptions } from '../options.ts'
import type { KeptTask } from './task-book.ts'

/** As many others run as may for its session, or for its server: whoever called waits for this one. */
export function isFull(
  { server, call, label }: KeptTask,
  running: Iterable<{ readonly kept: KeptTask }>,
  { perSession = DEFAULT_TASKS_PER_SESSION, perServer = DEFAULT_TASKS_PER_SERVER }: HostTaskOptions = {},
): boolean {
  const others = [...running].map(({ kept }) => kept).filter((task) => task.label !== label)
  const ofServer = others.filter((task) => task.server === server)
  const ofSession = others.filter((task) => task.call?.session === call?.session)
  return ofServer.length >= perServer || ofSession.length >= perSession
}
