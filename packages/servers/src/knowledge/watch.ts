/** Tells the library which files changed, as the system tells it. */

import { watch } from 'chokidar'
import type { Folder } from './folder.ts'
import type { Library } from './library.ts'
import { MAX_DEPTH } from './limits.ts'

/** Resolves when changes are heard; the returned function ends that. */
export async function watchFolder(folder: Folder, library: Library): Promise<() => Promise<void>> {
  const watcher = watch(folder.root, {
    ignoreInitial: true,
    followSymlinks: false,
    depth: MAX_DEPTH,
    ignored: (absolute, stats) => {
      const path = folder.toPath(absolute)
      if (path === '') return false
      return stats?.isFile() === true ? !folder.wants(path) : folder.skips(path)
    },
  })
  for (const event of ['add', 'change', 'unlink'] as const) {
    watcher.on(event, (absolute) => {
      const path = folder.toPath(absolute)
      if (folder.wants(path)) void library.update(path)
    })
  }
  // A watch that cannot be kept (too many files for the system) leaves the index as it is; `reindex` still works.
  watcher.on('error', () => {})
  await new Promise<void>((resolve) => watcher.once('ready', resolve))
  return () => watcher.close()
}
