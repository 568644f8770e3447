/** A folder of a trial's own, with two servers, a scripted model and a home. */

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Script, startScriptedProvider } from '@portico/host/model'

const LAB = fileURLToPath(new URL('./lab-server.ts', import.meta.url))

export interface LabPlace {
  readonly folder: string
  readonly env: { readonly [name: string]: string }
  /** What the lab server has written. */
  readonly notes: string
}

export async function inLab(script: Script, work: (place: LabPlace) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'portico-hosts-')))
  const provider = await startScriptedProvider(script)
  const notes = join(folder, 'notes.log')
  const lab = (...words: string[]) => ({ command: process.execPath, args: [...process.execArgv, LAB, ...words] })
  await mkdir(join(folder, 'config'))
  await writeFile(
    join(folder, 'config', 'portico.json'),
    JSON.stringify({
      servers: { lab: lab(notes), shelf: lab() },
      models: { scripted: { provider: 'openai-compatible', model: 'scripted', baseUrl: provider.url } },
    }),
  )
  await writeFile(join(folder, 'draft.txt'), 'first line\n')
  const { PATH = '' } = process.env
  const env = {
    PATH,
    HOME: folder,
    LANG: 'C.UTF-8',
    PORTICO_STATE_DIR: join(folder, 'state'),
    PORTICO_CONFIG_DIR: join(folder, 'config'),
  }
  try {
    await work({ folder, env, notes })
  } finally {
    await provider.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 })
  }
}
