/**
 * One way to take pictures of a screen; there is a module for each system. All of them run the system's own programs with
 * argument arrays. What comes from a request is checked to be a number before it is an argument.
 */

import { readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ToolError } from '@portico/sdk/server'
import { plainEnvironment, runProgram } from '../machine/program.ts'
import { makeTemporaryFolder, removeTemporaryFolder } from '../machine/temporary-folder.ts'
import type { ScreenSettings } from './options.ts'

export interface ScreenProvider {
  /** What it takes pictures with: `X11 (maim)`. */
  readonly name: string
  displays(signal?: AbortSignal): Promise<readonly Display[]>
  /** Empty where the system does not tell. */
  windows(signal?: AbortSignal): Promise<readonly Window[]>
  /** True where the system does not tell. */
  hasWindow(id: string, signal?: AbortSignal): Promise<boolean>
  capture(target: Target, signal?: AbortSignal): Promise<Picture>
}

export interface Display {
  /** Counted from 0. */
  readonly number: number
  readonly name: string
}

export interface Window {
  /** Digits alone, in every system. */
  readonly id: string
  readonly title: string
}

export type Target =
  | { readonly kind: 'display'; readonly number: number }
  | { readonly kind: 'window'; readonly id: string }

export interface Picture {
  readonly bytes: Buffer
  readonly mimeType: 'image/png'
}

export interface Tools {
  readonly settings: ScreenSettings
  /** What programs need to find the screen. */
  readonly env: { readonly [name: string]: string }
}

const VARIABLES = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'XDG_SESSION_TYPE',
  'DBUS_SESSION_BUS_ADDRESS',
  'HOME',
]

export function createTools(settings: ScreenSettings): Tools {
  const env = plainEnvironment()
  for (const name of VARIABLES) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  if (settings.display?.startsWith('wayland')) env.WAYLAND_DISPLAY = settings.display
  else if (settings.display !== undefined) {
    env.DISPLAY = settings.display
    delete env.WAYLAND_DISPLAY
  }
  return { settings, env }
}

interface AskOptions {
  readonly signal?: AbortSignal | undefined
  /** Variables beside those that every program gets. */
  readonly env?: { readonly [name: string]: string }
}

/** What a program printed; it failing is said with its own words. */
export async function ask(
  { settings, env }: Tools,
  program: string,
  args: readonly string[],
  { signal, env: more }: AskOptions = {},
): Promise<Buffer> {
  const outcome = await runProgram(program, {
    args,
    cwd: tmpdir(),
    env: { ...env, ...more },
    maxBytes: settings.maxBytes,
    timeoutMs: settings.timeoutMs,
    ...(signal !== undefined && { signal }),
  })
  if (outcome.truncated) throw new ToolError(`The picture has more than ${settings.maxBytes} bytes (option maxBytes).`)
  if (outcome.timedOut) throw new ToolError(`The capture took more than ${settings.timeoutMs} ms (option timeoutMs).`)
  if (outcome.code !== 0) {
    const words = outcome.stderr.trim().split('\n')[0]?.slice(0, 200)
    throw new ToolError(`The capture failed${words ? `: ${words}` : ''}. list_screens shows what there is to be taken.`)
  }
  return outcome.stdout
}

interface AskFileOptions extends Omit<AskOptions, 'env'> {
  readonly env?: (file: string) => { readonly [name: string]: string }
}

/** For programs that write to a file and nowhere else. */
export async function askFile(
  tools: Tools,
  program: string,
  args: (file: string) => readonly string[],
  { signal, env = () => ({}) }: AskFileOptions = {},
): Promise<Buffer> {
  const folder = await makeTemporaryFolder('screen')
  try {
    const file = join(folder, 'picture.png')
    await ask(tools, program, args(file), { signal, env: env(file) })
    const size = (await stat(file).catch(() => undefined))?.size
    if (size === undefined) throw new ToolError('The capture was cancelled on the screen, or made no picture.')
    if (size > tools.settings.maxBytes) throw new ToolError(`The picture has ${size} bytes (option maxBytes).`)
    return await readFile(file)
  } finally {
    await removeTemporaryFolder(folder)
  }
}

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

export function toPicture(bytes: Buffer): Picture {
  if (!bytes.subarray(0, 8).equals(PNG)) throw new ToolError('The capture gave no picture.')
  return { bytes, mimeType: 'image/png' }
}
