/**
 * The servers that come with the program: all of them can be named in a configuration, and a few are there from the
 * first start, so that there is something to use before anything is set up.
 */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineServer, type ServerConfig, type ServerSettings } from '@portico/host/config'
import type { InProcessFactory } from '@portico/host/upstream'
import type { JsonObject } from '@portico/sdk/client'
import { type EntryValue, loadEntry, SERVER_NAMES, type ServerName } from '@portico/servers'
import { readRecording } from '../recording/format.ts'
import { createReplayServer } from '../recording/replay-server.ts'

/** Where a server that came with the program was "written". */
export const BUILT_IN_FILE = '(built in)'
/** The module that answers from a recording; its one option is the file. */
export const RECORDING_MODULE = 'recording'

interface BuiltIn {
  readonly name: ServerName
  options?(stateDir: string): JsonObject
  readonly settings?: Partial<ServerSettings>
}

/** Trusted is only what gives nothing but its own words: what is read from files or the web is others' text. */
const BUILT_INS: readonly BuiltIn[] = [
  {
    name: 'files',
    options: (stateDir) => ({ directories: [scratchFolder(stateDir)], write: true, followRoots: false }),
  },
  { name: 'sql', settings: { trusted: true } },
  { name: 'memory', options: (stateDir) => ({ file: join(stateDir, 'memory.db') }) },
  { name: 'time', settings: { trusted: true } },
  // Its libraries are heavy; they are loaded when a page is wanted.
  { name: 'web', settings: { lazy: true } },
  { name: 'everything' },
]

/** `names` are the wanted ones; all unless given. */
export async function createBuiltIns(
  stateDir: string,
  disabled: ReadonlySet<string>,
  names?: readonly string[],
): Promise<ServerConfig[]> {
  const scratch = scratchFolder(stateDir)
  await mkdir(scratch, { recursive: true, mode: 0o700 })
  // Only once: whoever deletes it does not want it back.
  await writeFile(join(scratch, 'welcome.md'), WELCOME, { flag: 'wx' }).catch(() => {})
  const wanted = BUILT_INS.filter(({ name }) => names?.includes(name) ?? true)
  return wanted.map(({ name, options, settings }) =>
    defineServer(
      name,
      { kind: 'in-process', module: name, options: options?.(stateDir) ?? {} },
      { ...settings, disabled: disabled.has(name) },
      { file: BUILT_IN_FILE, path: name },
    ),
  )
}

/** Makers by module name. Nothing of a server is loaded before it is wanted. */
export function createFactories(): Map<string, InProcessFactory> {
  const factories = new Map<string, InProcessFactory>()
  for (const name of SERVER_NAMES) {
    factories.set(name, async (options) => {
      const entry = await loadEntry(name)
      // Options are checked by the entry itself, one by one.
      return entry.create(options as { readonly [option: string]: EntryValue | undefined })
    })
  }
  factories.set(RECORDING_MODULE, async ({ file }) => ({
    server: createReplayServer(await readRecording(String(file))),
  }))
  return factories
}

function scratchFolder(stateDir: string): string {
  return join(stateDir, 'scratch')
}

const WELCOME = `# Your scratch folder

The \`files\` server can read and, when you allow it, write in this folder and nowhere else.

- Put a document here and ask a model about it.
- Or call \`files_read_text\` yourself, under Tools.
`
