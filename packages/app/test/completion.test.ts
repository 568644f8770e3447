import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { cliArguments, createFolder, type Ran, runCli } from './cli.ts'

// Whole processes are started, on machines that may be busy.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const HOSTILE = fileURLToPath(new URL('./hostile-server.mjs', import.meta.url))
/** Named directly, its names come as it gave them; by a configured name, the host has cleaned them. */
const RAW = `${process.execPath} ${HOSTILE}`
const has = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0

let folder: Awaited<ReturnType<typeof createFolder>>
const run = (...words: string[]): Promise<Ran> => runCli(words, { cwd: folder.path, env: folder.env })

beforeAll(async () => {
  folder = await createFolder()
  await mkdir(join(folder.path, 'config'))
  await mkdir(join(folder.path, 'bin'))
  const servers = { weather: { command: process.execPath, args: [HOSTILE] }, desk: { command: 'never-started' } }
  await writeFile(join(folder.path, 'config', 'portico.json'), JSON.stringify({ servers }))
  const portico = join(folder.path, 'bin', 'portico')
  const words = [process.execPath, ...cliArguments()].map((word) => `'${word}'`).join(' ')
  await writeFile(portico, `#!/bin/sh\nexec ${words} "$@"\n`)
  await chmod(portico, 0o755)
  expect(await run('list', 'weather', '--yes')).toMatchObject({ code: 0 })
  expect(await run('list', RAW)).toMatchObject({ code: 0 })
})
afterAll(() => folder.close())

const shellEnv = () => ({ ...folder.env, PATH: `${join(folder.path, 'bin')}:${process.env.PATH}`, TERM: 'dumb' })

/** What bash would put on the line, word breaks at = and : as it has them. */
function inBash(script: string, line: string): string[] {
  const words = line.split(/\s+|(?<=[=:])|(?=[=:])/)
  const body = `${script}
COMP_LINE="$LINE"; COMP_POINT=\${#LINE}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
_portico 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`
  const env = { ...shellEnv(), LINE: line }
  return execFileSync('bash', ['-c', body], { encoding: 'utf8', cwd: folder.path, env }).trim().split('\n')
}

describe('portico completion', () => {
  it.concurrent.each([
    { words: ['call', ''], gives: ['weather', 'desk'] },
    { words: ['call', 'we'], gives: ['weather'] },
    { words: ['call', RAW, ''], gives: ['forecast', 'alerts'] },
    { words: ['call', '--timeout', '3', RAW, 'f'], gives: ['forecast'] },
    { words: ['call', RAW, '--timeout', ''], gives: [] },
    { words: ['call', RAW, 'forecast', ''], gives: ['city=', 'unit=', 'exact='] },
    { words: ['call', RAW, 'forecast', 'city=Lisbon', ''], gives: ['unit=', 'exact='] },
    { words: ['call', RAW, 'forecast', 'unit='], gives: ['unit=celsius', 'unit=kelvin', 'unit=--yes'] },
    { words: ['call', RAW, 'forecast', 'exact=t'], gives: ['exact=true'] },
    { words: ['load', RAW, 'al'], gives: ['alerts'] },
    { words: ['prompt', RAW, ''], gives: ['brief'] },
    { words: ['prompt', RAW, 'brief', ''], gives: ['tone='] },
    { words: ['read', RAW, ''], gives: ['note://1', 'note://--yes'] },
    { words: ['call', 'desk', ''], gives: [] },
    { words: ['call', './gone.ts', ''], gives: [] },
    { words: ['servers', 'sign-in', 'd'], gives: ['desk'] },
    { words: ['frobnicate', ''], gives: [] },
  ])('offers after $words what the server listed last, and nothing a shell would act on', async ({ words, gives }) => {
    const { code, stdout, stderr } = await run('completion', 'words', '--', ...words)
    expect({ code, stderr, words: stdout.split('\n').filter((word) => word !== '') }).toEqual({
      code: 0,
      stderr: '',
      words: gives,
    })
  })

  it('completes commands, options, choices, servers, tools, arguments and values in bash', async () => {
    const { stdout: script } = await run('completion', 'bash')
    expect(inBash(script, 'portico ca')).toEqual(['call'])
    expect(inBash(script, 'portico call --ti')).toEqual(['--timeout'])
    expect(inBash(script, 'portico listen x --level warn')).toEqual(['warning'])
    expect(inBash(script, 'portico list de')).toEqual(['desk'])
    expect(inBash(script, 'portico servers sign-i')).toEqual(['sign-in'])
    expect(inBash(script, 'portico call weather f')).toEqual(['forecast'])
    expect(inBash(script, `portico call "${RAW}" `)).toEqual(['forecast', 'alerts'])
    expect(inBash(script, 'portico call weather forecast c')).toEqual(['city='])
    expect(inBash(script, 'portico call weather forecast unit=')).toEqual(['celsius', 'kelvin', '--yes'])
    expect(inBash(script, 'portico call weather forecast unit=k')).toEqual(['kelvin'])
    expect(inBash(script, 'portico read weather note:')).toContain('//1')
    expect(await readdir(folder.path)).not.toContain('owned')
  })

  it.runIf(has('fish'))('completes the same in fish', async () => {
    await writeFile(join(folder.path, 'portico.fish'), (await run('completion', 'fish')).stdout)
    const inFish = (line: string): string[] =>
      execFileSync('fish', ['--no-config', '-c', 'source portico.fish; complete -C "$LINE"'], {
        encoding: 'utf8',
        cwd: folder.path,
        env: { ...process.env, ...shellEnv(), LINE: line },
      })
        .split('\n')
        .map((row) => row.split('\t')[0] ?? '')
    expect(inFish('portico call weather f')).toContain('forecast')
    expect(inFish('portico call weather forecast unit=')).toEqual(
      expect.arrayContaining(['unit=celsius', 'unit=kelvin']),
    )
    expect(await readdir(folder.path)).not.toContain('owned')
  })

  it.runIf(has('zsh'))('has a script that zsh reads', async () => {
    const { stdout: script } = await run('completion', 'zsh')
    expect(spawnSync('zsh', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' })
  })

  it('has scripts for zsh and fish that know every command', async () => {
    const [zsh, fish] = await Promise.all([run('completion', 'zsh'), run('completion', 'fish')])
    for (const { code, stdout } of [zsh, fish]) {
      expect(code).toBe(0)
      for (const name of ['call', 'chat', 'conformance', 'serve']) expect(stdout).toContain(name)
    }
  })

  it('keeps names for their owner alone, in a bounded number of files', async () => {
    const kept = join(folder.path, 'state', 'completion')
    const before = await readdir(kept)
    for (const file of before) expect((await stat(join(kept, file))).mode & 0o077).toBe(0)
    for (let at = 0; at < 70; at++) await writeFile(join(kept, `old-${at}.json`), '{}')
    await run('list', 'weather', '--yes')
    const left = await readdir(kept)
    expect(left).toHaveLength(64)
    // What was listed just now stays; the oldest go.
    expect(left.some((file) => before.includes(file))).toBe(true)
  })
})
