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
    await vi.waitFor(() => expect(existsSync(left)).toBe(false), 60_000)
    expect(existsSync(mine)).toBe(true)
    await first.removeTemporaryFolder(mine)
    await next.removeTemporaryFolder(other)
  },
)

it('servers 29: nobody waits for what others left behind', async () => {
  const first = await load()
  const mine = await first.makeTemporaryFolder('sql')
  const gone = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' })
  await once(gone, 'exit')
  const left = mine.replace(`-${process.pid}-`, `-${gone.pid}-`)
  for (let at = 0; at < 3_000; at++) await mkdir(join(left, `${at}`), { recursive: true })
  const next = await load()
  const other = await next.makeTemporaryFolder('sql')
  expect(existsSync(left)).toBe(true)
  await vi.waitFor(() => expect(existsSync(left)).toBe(false), 60_000)
  await first.removeTemporaryFolder(mine)
  await next.removeTemporaryFolder(other)
})

it('servers 29: no server makes a temporary folder in another way', async () => {
  const root = join(import.meta.dirname, '..')
  const files = (await readdir(root, { recursive: true })).filter((name) => /(?<!\.test)\.ts$/.test(name))
  const others: string[] = []
  for (const name of files)
    if (/mkdtemp\(join\(tmpdir/.test(await readFile(join(root, name), 'utf8'))) others.push(name)
  expect(others.map((name) => name.replaceAll('\\', '/'))).toEqual(['machine/temporary-folder.ts'])
})
