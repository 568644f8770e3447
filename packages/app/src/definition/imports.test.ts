import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importsOf } from './imports.ts'

it('finds the doors of a definition and of the files beside it, however they are imported, circles included', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'portico-imports-'))
  try {
    const write = (name: string, text: string) => writeFile(join(folder, name), text)
    await write('server.ts', `import { tool } from '@portico/sdk/server'\nimport './a.js'\nexport { b } from "./b"\n`)
    await write(
      'a.ts',
      `import type { Client } from '@portico/sdk/client'\nconst later = import('@portico/servers/time')\n`,
    )
    await write('b.mjs', `import { z } from 'zod'\nimport './server.ts'\nimport './gone.ts'\n`)
    const { doors, files } = await importsOf(join(folder, 'server.ts'))
    expect([...doors].sort()).toEqual(['@portico/sdk/client', '@portico/sdk/server', '@portico/servers/time'])
    expect([...files].sort()).toEqual(['a.ts', 'b.mjs', 'server.ts'].map((name) => join(folder, name)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
