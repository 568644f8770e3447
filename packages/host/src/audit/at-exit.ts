/** What is to be done at once when the program ends. One listener of the process for all, since many would warn. */

const WORK = new Set<() => void>()

/** Returns what takes it back. */
export function atExit(work: () => void): () => void {
  if (WORK.size === 0) process.on('exit', run)
  WORK.add(work)
  return () => {
    WORK.delete(work)
    if (WORK.size === 0) process.off('exit', run)
  }
}

function run(): void {
  for (const work of WORK) work()
}
