/**
 * What a message tells a person to type can be typed: every command and option that a text of these packages names is in
 * the declarations, and an option that stands alone is one of every command that can print the text.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HostError } from '@portico/host/errors'
import { PorticoError } from '@portico/sdk/client'
import { parseSync, Visitor } from 'rolldown/utils'
import { expect, it } from 'vitest'
import { toCliError } from '../src/cli/failure.ts'
import type { Command } from '../src/cli/parse/command.ts'
import { COMMAND_GROUPS, findCommand } from '../src/cli/parse/command-table.ts'
import { COMMON_FLAGS } from '../src/cli/parse/parse.ts'
import { explainListening } from '../src/cli/terminal/listening.ts'

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url))
const CLI = join(PACKAGES, 'app', 'src', 'cli')
const COMMANDS = COMMAND_GROUPS.flatMap(({ commands }) => commands)

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ts$/.test(name) && !/\.test\.ts$/.test(name))
    .map((name) => join(folder, name))
}

/** Every text of more than one word, with `…` for what is filled in. */
function textsOf(file: string): string[] {
  const source = readFileSync(file, 'utf8')
  if (!/`portico|--[a-z]/.test(source)) return []
  const texts: string[] = []
  new Visitor({
    Literal: ({ value }) => void (typeof value === 'string' && texts.push(value)),
    TemplateLiteral: ({ quasis }) => void texts.push(quasis.map(({ value }) => value.cooked ?? '').join('…')),
  }).visit(parseSync(file, source).program)
  return texts.filter((text) => /\S\s+\S/.test(text))
}

function optionsIn(text: string): string[] {
  return [...text.matchAll(/(?<![\w-])--([a-z][\w-]*)/g)].map(([, option = '']) => option)
}

function takes({ flags }: Command, option: string): boolean {
  const plain = option.replace(/^no-/, '')
  return [option, plain].some((one) => Object.hasOwn(flags, one) || Object.hasOwn(COMMON_FLAGS, one))
}

/** What is wrong with a command as a text spells it; the options after a bare `--` are another program's. */
function wrongIn(line: string): string | undefined {
  const [name = '', action = '', ...rest] = (line.split(' -- ')[0] ?? '').trim().split(/\s+/).slice(1)
  if (name === '' || /^(?:--help|--version|…|<command>)/.test(name)) return undefined
  const command = findCommand(name)
  if (command === undefined) return `there is no command "${name}"`
  const isAction = command.subcommands !== undefined && /^[a-z]/.test(action)
  if (isAction && !command.subcommands?.includes(action)) return `${name} has no action "${action}"`
  // What follows the name of a ready-made server belongs to that.
  const own = name === 'run' ? [] : optionsIn([action, ...rest].join(' '))
  const wrong = own.find((option) => !takes(command, option))
  return wrong === undefined ? undefined : `${name} has no option --${wrong}`
}

function commandsIn(text: string): string[] {
  return [...text.matchAll(/`((?:npx )?portico(?: [^`]*)?)`/g)].map(([, line = '']) => line.replace(/^npx /, ''))
}

const FILES = ['app', 'host', 'servers', 'sdk'].flatMap((name) => sources(join(PACKAGES, name, 'src')))

it('newcomer H2: a wrong command, action or option in a text is found', () => {
  expect(wrongIn('portico doctor --yes')).toBe('doctor has no option --yes')
  expect(wrongIn('portico servers foo')).toBe('servers has no action "foo"')
  expect(wrongIn('portico lst files')).toBe('there is no command "lst"')
  expect(wrongIn('portico servers add x -- npx --yes y')).toBeUndefined()
})

it('newcomer H2: every command that a text names exists, with the options that it is given', () => {
  const lines = FILES.flatMap((file) =>
    textsOf(file).flatMap((text) => commandsIn(text).map((line) => ({ file, line }))),
  )
  expect(lines.length).toBeGreaterThan(30)
  const found = lines.flatMap(({ file, line }) => {
    const wrong = wrongIn(line)
    return wrong === undefined ? [] : [`${relative(PACKAGES, file)}: \`${line}\`: ${wrong}`]
  })
  expect(found).toEqual([])
})

/** Which commands load a file, directly or through others. */
function commandsByFile(): Map<string, Set<Command>> {
  const reached = new Map<string, Set<Command>>()
  const declarations = sources(join(CLI, 'commands', 'declarations'))
  for (const file of declarations) {
    const text = readFileSync(file, 'utf8')
    for (const [, name = '', path = ''] of text.matchAll(
      /^ {4}name: '([\w-]+)'[\s\S]*?^ {4}load: .*import\('(.+)'\)/gm,
    )) {
      const command = findCommand(name)
      if (command !== undefined) follow(resolve(dirname(file), path), command, reached)
    }
  }
  // Whatever fails ends here.
  for (const name of ['failure.ts', 'terminal/listening.ts']) {
    for (const command of COMMANDS) follow(join(CLI, name), command, reached)
  }
  return reached
}

function follow(file: string, command: Command, reached: Map<string, Set<Command>>): void {
  const known = reached.get(file) ?? new Set()
  // A text may hold code of its own: the files of a new project.
  if (known.has(command) || !existsSync(file)) return
  reached.set(file, known.add(command))
  const text = readFileSync(file, 'utf8').replace(/^import type [^;]*? from '.*'$/gm, '')
  for (const [, path = ''] of text.matchAll(/(?:from|import\() ?'(\.[^']+\.ts)'/g)) {
    follow(resolve(dirname(file), path), command, reached)
  }
}

/** What is said of other programs. */
const OTHERS = /\bcode --install-extension\b/g

it('newcomer H2: an option that stands alone in a text is one of every command that can print the text', () => {
  const reached = commandsByFile()
  expect([...new Set([...reached.values()].flatMap((commands) => [...commands]))]).toHaveLength(COMMANDS.length)
  const found = [...reached].flatMap(([file, commands]) => {
    if (/declarations|completion|scaffold|parse\/(?:flags|help|serving-flags)/.test(file)) return []
    return textsOf(file).flatMap((text) =>
      // At the start it is what was typed: `--header takes …`.
      optionsIn(
        text
          .replace(OTHERS, '')
          .replace(/`[^`]*portico[^`]*`/g, '')
          .replace(/^(?:[\w…]+: )?--[\w-]+/, ''),
      )
        .flatMap((option) =>
          [...commands].filter((command) => !takes(command, option)).map(({ name }) => [option, name]),
        )
        .map(([option, name]) => `${relative(PACKAGES, file)}: "${text}": ${name} has no --${option}`),
    )
  })
  expect(found).toEqual([])
})

const listen = (code: string) => Object.assign(new Error(code), { code, syscall: 'listen', port: 1, address: '::1' })
const ERRORS = [
  new HostError('denied', 'no', { data: { by: 'nobody', server: 'desk' } }),
  new HostError('denied', 'no', { data: { by: 'person' } }),
  new HostError('denied', 'no', { data: { by: 'rule' } }),
  new HostError('no-model', 'none'),
  new HostError('unknown-server', 'none'),
  new PorticoError('timeout', 'late'),
  new PorticoError('closed', 'gone'),
  ...['EADDRINUSE', 'EACCES', 'EADDRNOTAVAIL'].map(listen),
]

it.each(COMMANDS)(
  'newcomer H2: whatever goes wrong, $name is told of nothing that it does not take',
  async (command) => {
    for (const error of ERRORS) {
      for (const interactive of [true, false]) {
        const io = { interactive, takes: (option: string) => takes(command, option) }
        const { remedy = '' } = (await explainListening(error, [command.name], io)) ?? toCliError(error, io)
        const alone = optionsIn(remedy.replace(/`portico[^`]*`/g, '')).filter((option) => !takes(command, option))
        expect([...commandsIn(remedy).flatMap((line) => wrongIn(line) ?? []), ...alone]).toEqual([])
      }
    }
  },
)

it('newcomer: whoever has just said no is not sent to a terminal to be asked', () => {
  const io = { interactive: true, takes: () => true }
  const { remedy } = toCliError(new HostError('denied', 'A person said no', { data: { by: 'person' } }), io)
  expect(remedy).toBe('Nothing was done. Run it again to be asked again.')
})
