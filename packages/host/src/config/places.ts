/**
 * Where programs keep their files on each system. Pure functions of platform, environment and home folder, so that every
 * system's answer can be asked for on any; `find-config-files.ts` looks which of them are there.
 */

import { posix, win32 } from 'node:path'
import type { ConfigForm } from './formats/form.ts'

/** The machine and user for whom places are told: operating system, environment variables and home folder. */
export interface PlaceQuery {
  readonly platform: NodeJS.Platform
  readonly env: { readonly [name: string]: string | undefined }
  readonly home: string
  /** The project folder, where there is one. */
  readonly project?: string
}

/**
 * A configuration file: where it is, which program's it is, and whether it is the user's own or came with a project.
 */
export interface ConfigFile {
  readonly path: string
  readonly form: ConfigForm
  /** A project's file comes with the project: nobody has vouched for it yet. */
  readonly scope: 'user' | 'project'
}

/**
 * Returns the folder in which Portico keeps a user's approvals, pinned definitions and audit log.
 *
 * @example
 * ```ts
 * import { stateFolder } from '@portico/host/config'
 * import { homedir } from 'node:os'
 *
 * const stateDir = stateFolder(process.env, process.platform, homedir())
 * ```
 */
export function stateFolder(env: PlaceQuery['env'], platform: NodeJS.Platform, home: string): string {
  const { join } = pathsOf(platform)
  if (env.PORTICO_STATE_DIR) return env.PORTICO_STATE_DIR
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(home, 'AppData', 'Local'), 'portico', 'state')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'portico', 'state')
  return join(absolute(env.XDG_STATE_HOME) ?? join(home, '.local', 'state'), 'portico')
}

/**
 * Returns the folder of Portico's own configuration file for this user.
 *
 * @example
 * ```ts
 * import { configFolder } from '@portico/host/config'
 *
 * configFolder({ platform: 'linux', env: {}, home: '/home/ann' }) // '/home/ann/.config/portico'
 * ```
 */
export function configFolder({ env, platform, home }: PlaceQuery): string {
  return env.PORTICO_CONFIG_DIR || pathsOf(platform).join(settingsFolder({ env, platform, home }), 'portico')
}

/**
 * Lists every file that may hold servers, whether it exists or not. A project's files come first, so that the user's
 * own win over them.
 *
 * @example
 * ```ts
 * import { configFiles } from '@portico/host/config'
 * import { homedir } from 'node:os'
 *
 * const places = configFiles({ platform: process.platform, env: process.env, home: homedir() })
 * ```
 */
export function configFiles(query: PlaceQuery): readonly ConfigFile[] {
  const { platform, env, home, project } = query
  const { join } = pathsOf(platform)
  const settings = settingsFolder(query)
  const zed =
    platform === 'win32' ? join(settings, 'Zed') : join(absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config'), 'zed')
  // On Linux both spellings of the folder are about; elsewhere letters do not differ by case.
  const spellings = platform === 'win32' || platform === 'darwin' ? ['Claude'] : ['Claude', 'claude']
  const desktop = spellings.map((folder) => join(settings, folder, 'claude_desktop_config.json'))
  const own = (form: ConfigForm, ...path: string[]): ConfigFile[] => {
    return project === undefined ? [] : [{ form, scope: 'project', path: join(project, ...path) }]
  }
  return [
    ...own('zed', '.zed', 'settings.json'),
    ...own('cursor', '.cursor', 'mcp.json'),
    ...own('vscode', '.vscode', 'mcp.json'),
    ...own('claude-code', '.mcp.json'),
    ...own('portico', 'portico.json'),
    { form: 'zed', scope: 'user', path: join(zed, 'settings.json') },
    { form: 'windsurf', scope: 'user', path: join(home, '.codeium', 'windsurf', 'mcp_config.json') },
    { form: 'cursor', scope: 'user', path: join(home, '.cursor', 'mcp.json') },
    { form: 'vscode', scope: 'user', path: join(settings, 'Code', 'User', 'mcp.json') },
    ...desktop.map((path): ConfigFile => ({ form: 'claude-desktop', scope: 'user', path })),
    { form: 'claude-code', scope: 'user', path: join(env.CLAUDE_CONFIG_DIR || home, '.claude.json') },
    { form: 'portico', scope: 'user', path: join(configFolder(query), 'portico.json') },
  ]
}

/** Where programs with a window keep what belongs to a user. */
function settingsFolder({ platform, env, home }: PlaceQuery): string {
  const { join } = pathsOf(platform)
  if (platform === 'win32') return env.APPDATA || join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return absolute(env.XDG_CONFIG_HOME) ?? join(home, '.config')
}

/** Relative paths in these variables do not count, by the XDG specification. */
function absolute(path: string | undefined): string | undefined {
  return path?.startsWith('/') ? path : undefined
}

function pathsOf(platform: NodeJS.Platform): typeof posix {
  return platform === 'win32' ? win32 : posix
}
