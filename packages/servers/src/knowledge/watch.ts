/** Tells the library which files changed, as the system tells it. */

import type { Stats } from 'node:fs'
import { watchFiles } from '../machine/file-watch.ts'
import type { Folder } from './folder.ts'
import type { Library } from './library.ts'
import { MAX_DEPTH } from './limits.ts'

/** Those of files; folders have others. */
const EVENTS: ReadonlySet<string> = new Set(['add', 'change', 'unlink'])

/** Resolves when changes are heard; the returned function ends that. */
export async function watchFolder(folder: Folder, library: Library): Promise<() => Promise<void>> {
  const ignored = (absolute: string, stats?: Stats): boolean => {
    const path = folder.toPath(absolute)
    if (path === '') return false
    return stats?.isFile() === true ? !folder.wants(path) : folder.skips(path)
  }
  // A watch that cannot be kept (too many files for the system) leaves the index as it is; `reindex` still works.
  const watcher = watchFiles(folder.root, { followSymlinks: false, depth: MAX_DEPTH, ignored }, (event, absolute) => {
    const path = folder.toPath(absolute)
    if (EVENTS.has(event) && folder.wants(path)) void library.update(path)
  })
  await watcher.ready
  return () => watcher.close()
}
