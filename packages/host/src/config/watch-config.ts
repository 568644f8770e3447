/** Follows the files of a configuration and tells what changed, server by server. */

import { callListener } from './call-listener.ts'
import { type ConfigChange, compareServers, isEmptyChange } from './config-change.ts'
import type { LoadedConfig } from './load-config.ts'
import { type WatchFilesOptions, watchFiles } from './watch-files.ts'

/** What the listener of `watchConfig` is told: which servers changed, and the whole configuration as it is now. */
export interface ConfigReload {
  readonly change: ConfigChange
  /** The configuration as it is now. */
  readonly config: LoadedConfig
}

/** A watch over configuration files; it goes on until `close`. */
export interface ConfigWatch {
  /** The latest reading. */
  readonly config: LoadedConfig
  /** Resolves once changes are noticed. */
  readonly ready: Promise<void>
  /** Reads again now, after a file was trusted for instance; tells the listener as usual. */
  refresh(): Promise<void>
  close(): void
}

/**
 * Watches the files of a configuration, reads them again when they change, and tells the listener which servers differ.
 * With `onReload` you are told of every reading, so that new problems are seen too.
 *
 * @example
 * ```ts
 * import { findConfigFiles, loadConfig, watchConfig } from '@portico/host/config'
 *
 * const config = await loadConfig({ files: await findConfigFiles() })
 * const watch = watchConfig(config, ({ change }) => process.stdout.write(`${change.changed.length} servers changed\n`))
 * await watch.ready
 * watch.close()
 * ```
 */
export function watchConfig(
  config: LoadedConfig,
  listener: (news: ConfigReload) => void,
  options: WatchFilesOptions & { readonly onReload?: (config: LoadedConfig) => void } = {},
): ConfigWatch {
  let current = config
  let closed = false
  // One reading at a time, so that an older one never comes after a newer.
  let queue: Promise<void> = Promise.resolve()
  const reload = async () => {
    const next = await current.reload()
    if (closed) return
    const change = compareServers(current.servers, next.servers)
    current = next
    callListener(options.onReload, next)
    if (!isEmptyChange(change)) callListener(listener, { change, config: next })
  }
  const refresh = () => {
    queue = queue.then(reload, reload)
    return queue
  }
  const catchUp = async () => {
    const before = current.files
    await refresh()
    if (before.join('\n') === current.files.join('\n')) return
    await watch.follow(current.files)
    // What changed before the new files were watched.
    await refresh()
  }
  const watch = watchFiles(config.files, () => catchUp().catch(warn), options)
  return {
    get config() {
      return current
    },
    // What changed between the reading that was given and the beginning of the watch.
    ready: watch.ready.then(catchUp),
    refresh,
    close() {
      closed = true
      watch.close()
    },
  }
}

function warn(error: unknown): void {
  const reason = error instanceof Error ? error.message : 'unknown'
  process.emitWarning(`The configuration could not be read again: ${reason}`, { code: 'PORTICO_CONFIG_UNREAD' })
}
