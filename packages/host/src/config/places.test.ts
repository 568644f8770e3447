import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findConfigFiles } from './find-config-files.ts'
import { detectForm } from './formats/form.ts'
import { configFiles, stateFolder } from './places.ts'

const mac = { platform: 'darwin', env: {}, home: '/Users/ada', project: '/Users/ada/engine' } as const
const linux = { platform: 'linux', env: {}, home: '/home/ada', project: '/home/ada/engine' } as const
const windows = {
  platform: 'win32',
  env: { APPDATA: 'C:\\Users\\Ada\\AppData\\Roaming', LOCALAPPDATA: 'C:\\Users\\Ada\\AppData\\Local' },
  home: 'C:\\Users\\Ada',
  project: 'D:\\engine',
} as const

describe('where programs keep their files', () => {
  it.each([
    ['claude-desktop', 'user', mac, '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json'],
    ['claude-desktop', 'user', windows, 'C:\\Users\\Ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json'],
    ['claude-desktop', 'user', linux, '/home/ada/.config/Claude/claude_desktop_config.json'],
    ['claude-code', 'user', mac, '/Users/ada/.claude.json'],
    ['claude-code', 'user', windows, 'C:\\Users\\Ada\\.claude.json'],
    ['claude-code', 'project', linux, '/home/ada/engine/.mcp.json'],
    ['cursor', 'user', mac, '/Users/ada/.cursor/mcp.json'],
    ['cursor', 'project', windows, 'D:\\engine\\.cursor\\mcp.json'],
    ['vscode', 'user', mac, '/Users/ada/Library/Application Support/Code/User/mcp.json'],
    ['vscode', 'user', windows, 'C:\\Users\\Ada\\AppData\\Roaming\\Code\\User\\mcp.json'],
    ['vscode', 'user', linux, '/home/ada/.config/Code/User/mcp.json'],
    ['vscode', 'project', linux, '/home/ada/engine/.vscode/mcp.json'],
    ['windsurf', 'user', windows, 'C:\\Users\\Ada\\.codeium\\windsurf\\mcp_config.json'],
    ['zed', 'user', mac, '/Users/ada/.config/zed/settings.json'],
    ['zed', 'user', windows, 'C:\\Users\\Ada\\AppData\\Roaming\\Zed\\settings.json'],
    ['portico', 'user', mac, '/Users/ada/Library/Application Support/portico/portico.json'],
    ['portico', 'user', windows, 'C:\\Users\\Ada\\AppData\\Roaming\\portico\\portico.json'],
    ['portico', 'user', linux, '/home/ada/.config/portico/portico.json'],
    ['portico', 'project', mac, '/Users/ada/engine/portico.json'],
  ] as const)('%s, %s: %j', (form, scope, query, path) => {
    const found = configFiles(query).find((file) => file.form === form && file.scope === scope)
    expect(found?.path).toBe(path)
    expect(detectForm(path, new Set())).toBe(form)
  })

  it('knows both spellings of the folder of Claude Desktop on Linux, and one elsewhere', () => {
    const pathsOn = (query: typeof linux | typeof mac) =>
      configFiles(query).flatMap(({ form, path }) => (form === 'claude-desktop' ? [path] : []))
    expect(pathsOn(linux)).toEqual([
      '/home/ada/.config/Claude/claude_desktop_config.json',
      '/home/ada/.config/claude/claude_desktop_config.json',
    ])
    expect(pathsOn(mac)).toHaveLength(1)
  })

  it('follows what the environment says', () => {
    const env = { XDG_CONFIG_HOME: '/etc/ada', CLAUDE_CONFIG_DIR: '/srv/claude', PORTICO_CONFIG_DIR: '/srv/portico' }
    const paths = configFiles({ ...linux, env }).map(({ path }) => path)
    expect(paths).toContain('/etc/ada/Code/User/mcp.json')
    expect(paths).toContain('/srv/claude/.claude.json')
    expect(paths).toContain('/srv/portico/portico.json')
    const relative = configFiles({ ...linux, env: { XDG_CONFIG_HOME: 'here' } }).map(({ path }) => path)
    expect(relative).toContain('/home/ada/.config/Code/User/mcp.json')
  })

  it('puts a project’s files before the user’s, which win', () => {
    const scopes = configFiles(linux).map(({ scope }) => scope)
    expect(scopes.lastIndexOf('project')).toBeLessThan(scopes.indexOf('user'))
    expect(configFiles({ ...linux, project: undefined }).every(({ scope }) => scope === 'user')).toBe(true)
  })

  it.each([
    [stateFolder({}, 'linux', '/home/ada'), '/home/ada/.local/state/portico'],
    [stateFolder({ XDG_STATE_HOME: '/s' }, 'linux', '/home/ada'), '/s/portico'],
    [stateFolder({}, 'darwin', '/Users/ada'), '/Users/ada/Library/Application Support/portico/state'],
    [stateFolder(windows.env, 'win32', 'C:\\Users\\Ada'), 'C:\\Users\\Ada\\AppData\\Local\\portico\\state'],
    [stateFolder({}, 'win32', 'C:\\Users\\Ada'), 'C:\\Users\\Ada\\AppData\\Local\\portico\\state'],
    [stateFolder({ PORTICO_STATE_DIR: '/x' }, 'linux', '/home/ada'), '/x'],
  ])('state is in %s', (found, folder) => expect(found).toBe(folder))

  it('finds those that are there', async () => {
    const home = await mkdtemp(join(tmpdir(), 'home-'))
    const query = { platform: 'linux', env: {}, home, project: join(home, 'engine') } as const
    const all = configFiles(query)
    for (const { path } of all.filter(({ form }) => form === 'cursor' || form === 'portico')) {
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, '{}')
    }
    const shown = (await findConfigFiles(query)).map(({ form, scope }) => `${form} ${scope}`)
    expect(shown).toEqual(['cursor project', 'portico project', 'cursor user', 'portico user'])
    expect(await findConfigFiles({ ...query, forms: ['cursor'] })).toHaveLength(2)
    await rm(home, { recursive: true })
  })
})
