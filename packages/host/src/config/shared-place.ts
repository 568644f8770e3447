/**
 * Where a small piece of state is kept: a file of this machine, or a text that several machines share. Whoever keeps one takes
 * either, so that one setting moves all of them.
 */

import { type WatchFilesOptions, watchFiles } from './watch-files.ts'

/** A text that several processes share: read and changed whole, one change at a time. */
export interface SharedPlace {
  /** What it is called, for people. */
  readonly name: string
  get(): Promise<string | undefined>
  /** Changes what is there at that moment, other processes' changes included. */
  update(change: (text: string | undefined) => string | Promise<string>): Promise<void>
  /** Calls back after every change, also when one may have been missed, until what comes back is called. */
  follow(changed: () => void): Promise<() => void>
}

/** A file by its path, or a shared text. */
export type StatePlace = string | SharedPlace

/** Calls back after what is kept has changed, until what comes back is called. */
export async function followPlace(
  place: StatePlace,
  changed: () => void | Promise<void>,
  options: WatchFilesOptions,
): Promise<() => void> {
  if (typeof place !== 'string') return place.follow(() => void changed())
  const watch = watchFiles([place], changed, options)
  await watch.ready
  return () => watch.close()
}

/** As people know it. */
export function nameOfPlace(place: StatePlace): string {
  return typeof place === 'string' ? place : `"${place.name}" of the shared state`
}
