/** What other programs on this machine have configured, to be taken over. Their files are read and never changed. */

import {
  type ConfigFile,
  type ConfigForm,
  type FindOptions,
  findConfigFiles,
  inspectCommand,
  type LoadedConfig,
  loadConfig,
  showCommand,
} from '@portico/host/config'
import type { ImportableProgram } from '../api-types/api.ts'
import { Refused } from '../http/failure.ts'
import type { Pasted } from './own-file.ts'

const PROGRAMS: { readonly [form in ConfigForm]: string } = {
  portico: 'Portico',
  'claude-desktop': 'Claude Desktop',
  'claude-code': 'Claude Code',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  vscode: 'VS Code',
  zed: 'Zed',
}
const OTHERS = (Object.keys(PROGRAMS) as ConfigForm[]).filter((form) => form !== 'portico')

export type ImportPlaces = Pick<FindOptions, 'env' | 'home' | 'platform' | 'project'>

/** `isPresent`: whether a server of that name is configured here already. */
export async function findImportable(
  places: ImportPlaces,
  isPresent: (name: string) => boolean,
): Promise<ImportableProgram[]> {
  const files = await findConfigFiles({ ...places, forms: OTHERS })
  const programs = await Promise.all(files.map((file) => read(file, places)))
  return programs.flatMap(({ servers, problems }, at) => {
    const file = files[at]
    if (file === undefined || (servers.length === 0 && problems.length === 0)) return []
    return [
      {
        program: PROGRAMS[file.form],
        file: file.path,
        servers: servers.map(({ name, target }) => ({
          name,
          shown: showCommand(target),
          present: isPresent(name),
          warnings: inspectCommand(target).map(({ message }) => message),
        })),
        problems,
      },
    ]
  })
}

/** The chosen servers of one of the files that were found; no other file is opened, whatever is asked for. */
export async function readImportable(places: ImportPlaces, path: string, chosen: readonly string[]): Promise<Pasted> {
  const file = (await findConfigFiles({ ...places, forms: OTHERS })).find((one) => one.path === path)
  if (file === undefined) {
    throw new Refused(404, { code: 'unknown-file', message: 'No program keeps its servers in that file' })
  }
  const { servers, inputs, problems } = await read(file, places)
  const wanted = new Set(chosen)
  return { servers: servers.filter(({ name }) => wanted.has(name)), inputs, problems }
}

/** Somebody looks at it and chooses: a project's file is read like the user's own, and nothing in it is started. */
function read({ path, form }: ConfigFile, { project, home }: ImportPlaces): Promise<LoadedConfig> {
  return loadConfig({
    files: [{ path, form, scope: 'user' }],
    ...(project !== undefined && { project }),
    ...(home !== undefined && { home }),
  })
}
