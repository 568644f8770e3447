/**
 * The one place that watches files for their changes. A watcher that fails (a link to itself, more files than the system watches)
 * tells nothing more, and ends no process: whoever asked can still read.
 */

import { type ChokidarOptions, watch } from 'chokidar'

export interface FileWatch {
  /** Resolves when changes are heard, or never will be. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

export function watchFiles(
  paths: string | readonly string[],
  options: Omit<ChokidarOptions, 'ignoreInitial'>,
  onChange: (event: string, path: string) => void,
): FileWatch {
  const watcher = watch([paths].flat(), { ...options, ignoreInitial: true })
  watcher.on('all', onChange)
  watcher.on('error', () => {})
  let stopWaiting = (): void => {}
  const ready = new Promise<void>((resolve) => {
    // One that watches nothing, or is closed before, never becomes ready.
    stopWaiting = resolve
    watcher.once('ready', resolve)
    if (paths.length === 0) resolve()
  })
  return {
    ready,
    close: () => {
      stopWaiting()
      return watcher.close()
    },
  }
}
