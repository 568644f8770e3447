import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFolder, runCli } from './cli.ts'

// Whole processes are started, on machines that may be busy.
let folder: Awaited<ReturnType<typeof createFolder>>
beforeAll(async () => {
  folder = await createFolder()
})
afterAll(() => folder.close())

const place = () => ({ cwd: folder.path, env: { ...folder.env, XDG_CONFIG_HOME: join(folder.path, '.config') } })
const inFolder = (...path: string[]) => join(folder.path, ...path)

describe('portico install', () => {
  it('shows what would change, writes after --yes, keeps what was there, and knows what it wrote', async () => {
    const file = inFolder('.cursor', 'mcp.json')
    await mkdir(dirname(file), { recursive: true })
    const before = '{\n  // mine\n  "mcpServers": {\n    "old": { "command": "old-server" }\n  }\n}\n'
    await writeFile(file, before)

    const refused = await runCli(['install', 'cursor', 'weather.ts'], place())
    expect(refused).toMatchObject({ code: 5, stdout: '' })
    expect(refused.stderr).toContain('+     "weather": {')
    expect(refused.stderr).toContain('say yes to that with `--yes`')
    expect(await readFile(file, 'utf8')).toBe(before)

    const written = await runCli(['install', 'cursor', 'weather.ts', '--yes', '--json'], place())
    expect(written.code).toBe(0)
    expect(JSON.parse(written.stdout)).toMatchObject({
      file,
      name: 'weather',
      changed: true,
      backup: `${file}.portico-backup`,
    })
    const text = await readFile(file, 'utf8')
    expect(text).toContain('// mine')
    expect(text).toContain('"old-server"')
    const entry = JSON.parse(text.replace(/\/\/.*$/m, '')).mcpServers.weather
    expect(entry.command).toBe(process.execPath)
    expect(entry.args.slice(1)).toEqual(['run', inFolder('weather.ts')])

    const again = await runCli(['install', 'cursor', 'weather.ts', '--yes'], place())
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('has it already') })

    const removed = await runCli(['install', 'cursor', '--remove', '--name', 'weather', '--yes'], place())
    expect(removed.code).toBe(0)
    expect(await readFile(file, 'utf8')).not.toContain('weather')
  })

  it.each([
    ['claude-desktop', ['https://mcp.example.com/mcp'], ['.config', 'Claude', 'claude_desktop_config.json'], 'bridge'],
    ['claude-code', [], ['.claude.json'], '--stdio'],
    [
      'vscode',
      ['--project', 'https://mcp.example.com/mcp'],
      ['.vscode', 'mcp.json'],
      '"url": "https://mcp.example.com/mcp"',
    ],
  ])('writes into the file of %s, as a bridge where the program knows no URLs', async (program, words, path, part) => {
    const { code, stderr } = await runCli(['install', program, ...words, '--yes'], place())
    expect(stderr).toContain(inFolder(...path))
    expect(code).toBe(0)
    expect(await readFile(inFolder(...path), 'utf8')).toContain(part)
  })

  it.each([
    [['install', 'netscape', 'x.ts'], 2, '"netscape" is not a known program', 'claude-desktop'],
    [['install', 'cursor', 'nobody'], 3, 'There is no server "nobody"', ''],
    [['install', 'claude-desktop', 'x.ts', '--project'], 2, 'has no file for a project', '--project'],
  ])('refuses %j in one line', async (words, code, message, remedy) => {
    const ran = await runCli(words, place())
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(ran.stderr).toContain(remedy)
  })

  it('leaves a file alone that it does not understand', async () => {
    const file = inFolder('.codeium', 'windsurf', 'mcp_config.json')
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, '{ "mcpServers": ')
    const ran = await runCli(['install', 'windsurf', 'x.ts', '--yes'], place())
    expect(ran).toMatchObject({ code: 7, stdout: '' })
    expect(await readFile(file, 'utf8')).toBe('{ "mcpServers": ')
  })
})
