/** `portico auth`: the embedded authorization server, and the people who may sign in to it. */

import { join } from 'node:path'
import { createAuthorizationServer, type User } from '@portico/host/authorization-server'
import { createSecretStore, type SecretStore } from '@portico/host/config'
import { CliError } from '../../../exit-codes.ts'
import { stateOf } from '../../host-places.ts'
import type { CommandInput } from '../../parse/command.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'
import { leaveSoon, stayUntil } from '../../terminal/stay-until.ts'
import { createTerminal } from '../../terminal/terminal.ts'

const ISSUER = 'http://127.0.0.1:3001'
const RESOURCE = 'http://127.0.0.1:3000/mcp'
const SHORTEST_PASSWORD = 8
const MAX_INPUT = 4096

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [action = '', name] = input.positionals
  const users = createSecretStore({ file: join(stateOf(io), 'auth-users') })
  switch (action) {
    case 'run':
      return serve(users, input, io)
    case 'list':
      return list(users, input, io)
    case 'add':
      return add(users, named(name, action), input, io)
    case 'remove':
      return remove(users, named(name, action), io)
    default:
      throw new CliError('usage', `auth: there is no "${action}"`, 'It is one of run, add, remove, list.')
  }
}

async function serve(users: SecretStore, { flags, json }: CommandInput, io: Io): Promise<number> {
  const issuer = typeof flags.issuer === 'string' ? flags.issuer : ISSUER
  const resources = Array.isArray(flags.resource) ? (flags.resource as readonly string[]) : [RESOURCE]
  const scopes = Array.isArray(flags.scope) ? (flags.scope as readonly string[]) : []
  const people = await readUsers(users)
  if (Object.keys(people).length === 0) {
    throw new CliError('config', 'Nobody could sign in: there are no users', 'Add one: `portico auth add <name>`.')
  }
  const listener = await createAuthorizationServer({ issuer, resources, scopes, users: people }).listen()
  try {
    if (json) io.out(JSON.stringify({ issuer, resources, pid: process.pid }))
    else io.out(issuer)
    io.say(
      `${counted(Object.keys(people).length, 'user')} may sign in; tokens are for ${resources.join(', ')}. Ctrl-C ends it.`,
    )
    await stayUntil(io.signal)
  } finally {
    await listener.close()
    leaveSoon()
  }
  return 0
}

async function list(users: SecretStore, { json }: CommandInput, io: Io): Promise<number> {
  const people = Object.entries(await readUsers(users)).map(([name, { roles = [] }]) => ({ name, roles }))
  if (json) io.out(JSON.stringify(people))
  else for (const { name, roles } of people) io.out(roles.length === 0 ? name : `${name}\t${roles.join(', ')}`)
  if (people.length === 0) io.say('There are no users. Add one: `portico auth add <name>`.')
  return 0
}

async function add(users: SecretStore, name: string, { flags }: CommandInput, io: Io): Promise<number> {
  const password = await readPassword(name, io)
  if (password.length < SHORTEST_PASSWORD) {
    throw new CliError('usage', `A password has at least ${SHORTEST_PASSWORD} characters`, 'Choose a longer one.')
  }
  const roles = Array.isArray(flags.role) ? flags.role : []
  await users.set(name, JSON.stringify({ password, ...(roles.length > 0 && { roles }) }))
  io.say(`${name} can sign in once \`portico auth run\` is started again.`)
  return 0
}

async function remove(users: SecretStore, name: string, io: Io): Promise<number> {
  if (!(await users.delete(name)))
    throw new CliError('not-found', `There is no user "${name}"`, 'See `portico auth list`.')
  io.say(`${name} is removed. Start \`portico auth run\` again if it runs: it accepts them until then.`)
  return 0
}

async function readUsers(users: SecretStore): Promise<{ readonly [name: string]: User }> {
  const names = await users.list()
  const people = await Promise.all(
    names.map(async (name): Promise<[string, User]> => {
      // Written by `add` alone, into a file that is sealed.
      return [name, JSON.parse((await users.get(name)) ?? '{}') as User]
    }),
  )
  return Object.fromEntries(people)
}

/** From the person, unseen; from standard input where nobody is there. Never from the command line, which others can read. */
async function readPassword(name: string, io: Io): Promise<string> {
  if (!io.interactive) return readLine(io)
  const terminal = createTerminal(io)
  const first = await terminal.ask(`Password for ${name}: `, { secret: true })
  const second = first === undefined ? undefined : await terminal.ask('Once more: ', { secret: true })
  if (first === undefined || second === undefined) throw new CliError('interrupted', 'Interrupted')
  if (first !== second) throw new CliError('usage', 'The two passwords differ', 'Try again.')
  return first
}

async function readLine(io: Io): Promise<string> {
  let text = ''
  for await (const chunk of io.stdin) {
    text += String(chunk)
    if (text.length > MAX_INPUT) throw new CliError('usage', 'The password is too long')
    if (text.includes('\n')) break
  }
  io.stdin.destroy()
  return text.split(/\r?\n/)[0] ?? ''
}

function named(name: string | undefined, action: string): string {
  if (name !== undefined && /^[\w.@+-]{1,64}$/.test(name)) return name
  const problem = name === undefined ? `auth ${action}: <user> is missing` : `"${name}" cannot be a user's name`
  throw new CliError('usage', problem, 'A name has letters, digits and . _ - @ +.')
}
