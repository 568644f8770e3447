/**
 * The forms that programs keep their servers in, as data: where the servers are in the file, how an entry is spelled
 * and which variables it may hold. Reading (`read-config.ts`) and writing (`entry-out.ts`) go by this one table.
 */

/** The programs whose configuration files can be read and written. */
export type ConfigForm = 'portico' | 'claude-desktop' | 'claude-code' | 'cursor' | 'windsurf' | 'vscode' | 'zed'

export interface FormRules {
  /** The program, for people. */
  readonly program: string
  /** Members that hold servers; the first is where new ones go. */
  readonly shelves: readonly string[]
  /** The member for the address of a remote server. */
  readonly urlKey: 'url' | 'serverUrl'
  /** Whether entries say their `type`. */
  readonly writesType: boolean
  readonly remote: boolean
  /** How a variable of the environment is spelled; `none`: the program does not know any. */
  readonly variables: 'plain' | 'prefixed' | 'none'
  readonly fallbacks: boolean
  /** `${workspaceFolder}` and the like. */
  readonly places: boolean
  readonly inputs: boolean
  readonly envFile: boolean
  readonly cwd: boolean
  /** How an entry is switched off. */
  readonly disabled: 'disabled' | 'enabled' | undefined
}

export const FORMS: { readonly [form in ConfigForm]: FormRules } = {
  portico: {
    program: 'Portico',
    shelves: ['servers', 'mcpServers'],
    urlKey: 'url',
    writesType: true,
    remote: true,
    variables: 'plain',
    fallbacks: true,
    places: true,
    inputs: true,
    envFile: true,
    cwd: true,
    disabled: 'disabled',
  },
  'claude-desktop': {
    program: 'Claude Desktop',
    shelves: ['mcpServers'],
    urlKey: 'url',
    writesType: false,
    remote: false,
    variables: 'none',
    fallbacks: false,
    places: false,
    inputs: false,
    envFile: false,
    cwd: false,
    disabled: undefined,
  },
  'claude-code': {
    program: 'Claude Code',
    shelves: ['mcpServers'],
    urlKey: 'url',
    writesType: true,
    remote: true,
    variables: 'plain',
    fallbacks: true,
    places: false,
    inputs: false,
    envFile: false,
    cwd: false,
    disabled: undefined,
  },
  cursor: {
    program: 'Cursor',
    shelves: ['mcpServers'],
    urlKey: 'url',
    writesType: false,
    remote: true,
    variables: 'prefixed',
    fallbacks: false,
    places: true,
    inputs: false,
    envFile: true,
    cwd: false,
    disabled: undefined,
  },
  windsurf: {
    program: 'Windsurf',
    shelves: ['mcpServers'],
    urlKey: 'serverUrl',
    writesType: false,
    remote: true,
    variables: 'prefixed',
    fallbacks: false,
    places: false,
    inputs: false,
    envFile: false,
    cwd: false,
    disabled: 'disabled',
  },
  vscode: {
    program: 'VS Code',
    shelves: ['servers'],
    urlKey: 'url',
    writesType: true,
    remote: true,
    variables: 'prefixed',
    fallbacks: false,
    places: true,
    inputs: true,
    envFile: true,
    cwd: true,
    disabled: undefined,
  },
  zed: {
    program: 'Zed',
    shelves: ['context_servers'],
    urlKey: 'url',
    writesType: false,
    remote: true,
    variables: 'none',
    fallbacks: false,
    places: false,
    inputs: false,
    envFile: false,
    cwd: false,
    disabled: 'enabled',
  },
}

/** Sections of our own form that other layers read. */
export const SECTIONS = ['policy', 'models', 'gateway', 'chatBot', 'attach', 'projects'] as const

/**
 * Tells which program a configuration file belongs to, by its path where that says it, else by its top-level members.
 * Returns undefined when nothing in it is known.
 *
 * @example
 * ```ts
 * import { detectForm } from '@portico/host/config'
 *
 * detectForm('/home/ann/.cursor/mcp.json', new Set()) // 'cursor'
 * detectForm('servers.json', new Set(['mcpServers'])) // 'claude-code'
 * ```
 */
export function detectForm(file: string, members: ReadonlySet<string>): ConfigForm | undefined {
  const path = file.replaceAll('\\', '/').toLowerCase()
  const byName = NAMES.find(([ending]) => path.endsWith(ending))?.[1]
  if (byName !== undefined) return byName
  if (members.has('context_servers')) return 'zed'
  // Another program has projects, too, and means folders.
  const isOurs = [...SECTIONS, 'include'].some((name) => name !== 'projects' && members.has(name))
  if (members.has('servers')) return isOurs ? 'portico' : 'vscode'
  if (isOurs) return 'portico'
  return members.has('mcpServers') ? 'claude-code' : undefined
}

const NAMES: readonly (readonly [string, ConfigForm])[] = [
  ['portico.json', 'portico'],
  ['portico.jsonc', 'portico'],
  ['claude_desktop_config.json', 'claude-desktop'],
  ['/.claude.json', 'claude-code'],
  ['.mcp.json', 'claude-code'],
  ['/.cursor/mcp.json', 'cursor'],
  ['/windsurf/mcp_config.json', 'windsurf'],
  ['/.vscode/mcp.json', 'vscode'],
  ['/code/user/mcp.json', 'vscode'],
  ['/zed/settings.json', 'zed'],
  ['/.zed/settings.json', 'zed'],
]
