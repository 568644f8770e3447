/**
 * Tells when one of a few files was written. Watches their folders, because editors put a new file in the place of the
 * old one, and waits for the dust to settle, because they do so in several steps.
 */

import { type FSWatcher, watch } from 'node:fs'
import { dirname, resolve } from 'node:path'

interface FileWatch {
  /** Makes the files these. */
  follow(files: readonly string[]): void
  close(): void
}

const SETTLE_MS = 60

export function watchDefinition(files: readonly string[], changed: () => void): FileWatch {
  let wanted = new Set<string>()
  const folders = new Map<string, FSWatcher>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const seen = (folder: string, name: string | null): void => {
    if (name !== null && !wanted.has(resolve(folder, name))) return
    clearTimeout(timer)
    timer = setTimeout(changed, SETTLE_MS)
  }
  const follow = (next: readonly string[]): void => {
    wanted = new Set(next.map((file) => resolve(file)))
    const needed = new Set([...wanted].map((file) => dirname(file)))
    for (const [folder, watcher] of folders) {
      if (needed.has(folder)) continue
      watcher.close()
      folders.delete(folder)
    }
    for (const folder of needed) {
      if (folders.has(folder)) continue
      const watcher = watch(folder, { persistent: false }, (_event, name) => seen(folder, name))
      // A folder that goes away takes its watcher with it; the files are gone then, too.
      watcher.on('error', () => watcher.close())
      folders.set(folder, watcher)
    }
  }
  follow(files)
  return {
    follow,
    close() {
      clearTimeout(timer)
      for (const watcher of folders.values()) watcher.close()
      folders.clear()
    },
  }
}
