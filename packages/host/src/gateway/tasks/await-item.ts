/** A task that is taken up after its gateway was started anew: its server may not be there yet. */

import type { CatalogueItem } from '../../upstream/catalogue/item.ts'

/** How long a task that was taken up waits for its tool to be there again. */
const RETURN_MS = 60_000
const LOOK_MS = 250

/** A tool whose server may still be starting, where a task is taken up after the gateway itself was started anew. */
export async function awaitItem(
  find: () => CatalogueItem | undefined,
  signal: AbortSignal,
): Promise<CatalogueItem | undefined> {
  const until = performance.now() + RETURN_MS
  for (let found = find(); ; found = find()) {
    if (found !== undefined || signal.aborted || performance.now() > until) return found
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
