import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'

const load = async () => {
  vi.resetModules()
  return import('./temporary-folder.ts')
}

it.each(['sql', 'browser', 'run', 'screen'])(
  'servers 29: what a killed %s server left is removed by the next process',
  async (kind) => {
    const first = await load()
    const mine = await first.makeTemporaryFolder(kind)
    const gone = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
    await once(gone, 'exit')
    const left = mine.replace(`-${process.pid}-`, `-${gone.pid}-`)
    await mkdir(join(left, 'profile'), { recursive: true })
    const next = await load()
    const other = await next.makeTemporaryFolder(kind)
    expect(existsSync(left)).toBe(false)
    expect(existsSync(mine)).toBe(true)
    await first.removeTemporaryFolder(mine)
    await next.removeTemporaryFolder(other)
  },
)

it('servers 29: no server makes a temporary folder in another way', async () => {
  const root = join(import.meta.dirname, '..')
  const files = (await readdir(root, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const others: string[] = []
  for (const name of files)
    if (/mkdtemp\(join\(tmpdir/.test(await readFile(join(root, name), 'utf8'))) others.push(name)
  expect(others.map((name) => name.replaceAll('\\', '/'))).toEqual(['machine/temporary-folder.ts'])
})
