/** What a host keeps in files, damaged in any way: each store opens, with what is whole or with a word, and keeps something again. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGrants } from '../../../packages/host/src/consent/grants.ts'
import { createPinStore } from '../../../packages/host/src/upstream/pins/pins.ts'
import { mutated } from '../mutations.ts'
import { demand, opened, type Target } from '../target.ts'
import { CORPUS } from './corpus.ts'

const CALL = { kind: 'call', server: 's', tool: 't', arguments: {}, trusted: false } as const
const ABOUT = { session: 's', unattended: false, tainted: false, at: 0 }

export const kept: Target = {
  name: 'kept',
  about: 'files of grants and pins, read and written again',
  async open() {
    const folder = await mkdtemp(join(tmpdir(), 'portico-fuzz-'))
    return opened({
      arbitrary: mutated(CORPUS.kept),
      async run(text) {
        const place = await mkdtemp(join(folder, 'run-'))
        await Promise.all([tryGrants(join(place, 'grants.json'), text), tryPins(join(place, 'pins.json'), text)])
        await rm(place, { recursive: true })
      },
      close: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
    })
  },
}

async function tryGrants(file: string, text: string): Promise<void> {
  await writeFile(file, text)
  const grants = await createGrants({ file })
  const given = await grants.remember(CALL, { action: 'allow', remember: 'always', breadth: 'arguments' }, ABOUT)
  const again = await createGrants({ file })
  demand(
    again.list().some(({ id }) => id === given?.id),
    'what was granted is not there',
  )
}

async function tryPins(file: string, text: string): Promise<void> {
  await writeFile(file, text)
  const pins = createPinStore({ file })
  pins.check({ server: 'new', kind: 'tool', ownName: 't', meaning: { description: 'first' } })
  await pins.flush()
  const changed = { server: 'new', kind: 'tool', ownName: 't', meaning: { description: 'second' } } as const
  const again = createPinStore({ file })
  const { quarantine } = again.check(changed)
  await again.flush()
  demand(quarantine !== undefined, 'a changed definition passed')
}
