/** A folder as a root: `file:` only, with links followed and no way out of it by spelling (sec-120). */

import { realpath } from 'node:fs/promises'
import { basename, isAbsolute } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Root } from '@portico/sdk/client'

/** Undefined for what is no folder of this machine, or is not there. */
export async function toRoot(configured: string): Promise<Root | undefined> {
  const path = toPath(configured)
  if (path === undefined) return undefined
  try {
    const real = await realpath(path)
    return { uri: pathToFileURL(real).href, name: basename(real) }
  } catch {
    return undefined
  }
}

function toPath(configured: string): string | undefined {
  if (isAbsolute(configured)) return configured
  if (!URL.canParse(configured)) return undefined
  const url = new URL(configured)
  // A host in the URL would be another machine.
  if (url.protocol !== 'file:' || url.host !== '' || url.search !== '' || url.hash !== '') return undefined
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}
