/** Every tool called with arguments made at random from its own schema: none may crash, and every answer fits its schema (sec-122). */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { propertyCalls } from '@portico/sdk/testing'
import { createKnowledgeServer } from '@portico/servers/knowledge'
import { createMemoryServer } from '@portico/servers/memory'
import { createSqlServer } from '@portico/servers/sql'
import type { Trial } from '../support/suite.ts'

type Ready = Awaited<ReturnType<typeof createSqlServer>>

function atRandom(name: string, create: (folder: string) => Promise<Ready>): Trial {
  return {
    name: `random arguments: ${name}`,
    async run() {
      const folder = mkdtempSync(join(tmpdir(), 'portico-lab-random-'))
      const ready = await create(folder)
      try {
        await propertyCalls(ready.server, { runs: 40 })
      } finally {
        await ready.close()
        rmSync(folder, { recursive: true, force: true })
      }
    },
  }
}

const DOCS = fileURLToPath(new URL('../../docs/guide', import.meta.url))

export const randomTrials: readonly Trial[] = [
  atRandom('sql', () => createSqlServer({ write: true, allowUnasked: true, timeoutMs: 2000 })),
  atRandom('memory', (folder) => createMemoryServer({ file: join(folder, 'memory.db'), allowUnasked: true })),
  atRandom('knowledge', () => createKnowledgeServer({ directory: DOCS, watch: false })),
]
