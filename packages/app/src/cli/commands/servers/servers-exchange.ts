/** `portico servers import` and `export`: from and to the files of other programs. */

import {
  type ConfigFile,
  type ConfigForm,
  exportServers,
  findConfigFiles,
  formatProblem,
  loadConfig,
  type ServerConfig,
  showCommand,
  writeIntoFile,
} from '@portico/host/config'
import { CliError, EXIT_CODES } from '../../../exit-codes.ts'
import { hostOptionsOf, readConfig } from '../../configuration.ts'
import { userFile } from '../../host-places.ts'
import type { CommandInput } from '../../parse/command.ts'
import type { ServersAction } from '../../servers-action.ts'
import type { Io } from '../../terminal/io.ts'
import { toTable } from '../../terminal/table.ts'

const FORMS: readonly ConfigForm[] = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'windsurf', 'zed']

export const importServers: ServersAction = async ([program, ...names], input, io) => {
  const found = await findServers(program, io)
  if (program === undefined) return listImportable(found, input, io)
  const wanted = found.filter(({ name }) => names.length === 0 || names.includes(name))
  const missing = names.find((name) => !wanted.some((server) => server.name === name))
  if (missing !== undefined) throw new CliError('not-found', `${program} has no server "${missing}"`)
  if (wanted.length === 0) throw new CliError('not-found', `No servers of ${program} were found`)
  const own = await readConfig(io, hostOptionsOf(input).config)
  const file = userFile(io, hostOptionsOf(input).config)
  const added: string[] = []
  for (const server of wanted) {
    if (own.servers.some(({ name }) => name === server.name)) {
      io.say(`${io.paint.yellow('note')}: ${server.name} is configured already and stays as it is.`)
      continue
    }
    const { problems } = await writeIntoFile(file, 'portico', server)
    for (const problem of problems) io.say(formatProblem(problem))
    added.push(server.name)
  }
  if (input.json) io.out(JSON.stringify({ added, file }))
  io.say(added.length === 0 ? 'Nothing was added.' : `Added to ${file}: ${added.join(', ')}`)
  return EXIT_CODES.ok.code
}

export const exportAll: ServersAction = async ([program, ...extra], input, io) => {
  const form = [...FORMS, 'portico' as const].find((one) => one === program)
  if (form === undefined || extra.length > 0) {
    throw new CliError('usage', 'servers export takes one program', `One of ${[...FORMS, 'portico'].join(', ')}.`)
  }
  const config = await readConfig(io, hostOptionsOf(input).config)
  const { text, problems } = exportServers(config.servers, form, { inputs: config.inputs })
  for (const problem of problems) io.say(formatProblem(problem))
  io.write(text)
  return EXIT_CODES.ok.code
}

async function findServers(program: string | undefined, io: Io): Promise<readonly ServerConfig[]> {
  const form = FORMS.find((one) => one === program)
  const isFile = program !== undefined && /[./\\]/.test(program)
  if (program !== undefined && form === undefined && !isFile) {
    throw new CliError('usage', `servers import: "${program}" is not known`, `One of ${FORMS.join(', ')}, or a file.`)
  }
  const files: readonly (Pick<ConfigFile, 'path' | 'scope'> & { readonly form?: ConfigForm })[] = isFile
    ? [{ path: program, scope: 'user' }]
    : (await findConfigFiles({ env: io.env, project: io.cwd, forms: form === undefined ? FORMS : [form] })).map(
        (file) => ({
          ...file,
          // Whoever imports by hand has named what is to be read.
          scope: 'user' as const,
        }),
      )
  const config = await loadConfig({ files, project: io.cwd })
  for (const problem of config.problems) io.say(formatProblem(problem))
  return config.servers
}

function listImportable(found: readonly ServerConfig[], input: CommandInput, io: Io): number {
  if (input.json) {
    io.out(
      JSON.stringify(found.map(({ name, target, place }) => ({ name, target: showCommand(target), file: place.file }))),
    )
  } else if (found.length === 0) io.say(`No servers of other programs were found (${FORMS.join(', ')}).`)
  else {
    io.out(
      toTable(
        found.map(({ name, place, target }) => [name, place.file, showCommand(target)]),
        io,
      ),
    )
    io.say(`Import them with \`portico servers import <program>\`: ${FORMS.join(', ')}.`)
  }
  return EXIT_CODES.ok.code
}
