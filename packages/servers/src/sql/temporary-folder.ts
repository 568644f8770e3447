/** Folders that go when they are given back, and at the latest with the process. */

import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const left = new Set<string>()

export async function makeTemporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix))
  if (left.size === 0) process.once('exit', removeAll)
  left.add(folder)
  return folder
}

export async function removeTemporaryFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  left.delete(folder)
  if (left.size === 0) process.off('exit', removeAll)
}

function removeAll(): void {
  for (const folder of left) rmSync(folder, { recursive: true, force: true })
}
