/** `portico servers sign-in`, `sign-out`, `logs`, `approve`, `trust`: what a person says yes to, and what a server has to say. */

import { wholePath } from '@portico/host/config'
import type { UpstreamLog } from '@portico/host/upstream'
import { signOutOf } from '../../../access/sign-out.ts'
import { CliError, EXIT_CODES } from '../../../exit-codes.ts'
import { findServer, hostOptionsOf, readConfig, trustOf } from '../../configuration.ts'
import { openHost } from '../../host.ts'
import { projectFile, stateOf } from '../../host-places.ts'
import type { CommandInput } from '../../parse/command.ts'
import type { ServersAction } from '../../servers-action.ts'
import { openPageOf } from '../../sign-in.ts'
import { confirm } from '../../terminal/confirm.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'
import { toLine, toPlain } from '../../terminal/plain-text.ts'
import { stayUntil } from '../../terminal/stay-until.ts'

export const signIn: ServersAction = async (words, input, io) => {
  const name = await oneServer(words, 'sign-in', input, io)
  if (!io.interactive) {
    throw new CliError('denied', 'Signing in needs a person at a terminal', 'Run this in a terminal.')
  }
  const more = { signIn: { openPage: openPageOf(io) } }
  const host = await openHost(io, { ...hostOptionsOf(input), only: [name], more })
  try {
    // The host opens the page and waits; Ctrl-C ends it with the connection.
    const ended = () => void host.close()
    io.signal.addEventListener('abort', ended, { once: true })
    await host.signIn(name)
    io.signal.removeEventListener('abort', ended)
    if (input.json) io.out(JSON.stringify({ server: name, steps: host.signInSteps(name) }))
    io.say(`${io.paint.green('Signed in')} to ${name}.`)
    return EXIT_CODES.ok.code
  } finally {
    await host.close()
  }
}

export const signOut: ServersAction = async (words, input, io) => {
  const name = await oneServer(words, 'sign-out', input, io)
  const config = findServer(await readConfig(io, hostOptionsOf(input).config), name)
  const done = await signOutOf(config, stateOf(io)).catch((error: unknown) => {
    const reason = toLine(error instanceof Error ? error.message : String(error))
    const remedy = 'They are valid there until they expire; end the session in your account at that server, too.'
    throw new CliError(
      'failed',
      `The tokens for ${name} are forgotten here, but were not revoked: ${reason}`,
      remedy,
      error,
    )
  })
  if (done === 'not-possible') throw new CliError('usage', `${name} has no sign-in: it is not behind a URL`)
  if (input.json) io.out(JSON.stringify({ server: name, signedIn: false, changed: done === 'signed-out' }))
  const said = done === 'nobody' ? 'Nobody was signed in to' : `${io.paint.green('Signed out')} of`
  io.say(`${said} ${name}. Sign in${done === 'nobody' ? '' : ' again'}: \`portico servers sign-in ${name}\`.`)
  return EXIT_CODES.ok.code
}

export const followLogs: ServersAction = async (words, input, io) => {
  const name = await oneServer(words, 'logs', input, io)
  const host = await openHost(io, { ...hostOptionsOf(input), only: [name] })
  try {
    host.upstreams.on(
      'log',
      (line) => line.server === name && io.out(input.json ? JSON.stringify(line) : describe(line)),
    )
    host.upstreams.on('state', ({ state }) =>
      io.say(`${name} is ${state.state}${state.reason === undefined ? '' : `: ${state.reason}`}`),
    )
    const client = await host.upstreams.client(name, { signal: io.signal })
    // What it said before anybody listened.
    const before = client.process?.stderrTail() ?? ''
    if (before !== '' && !input.json) io.out(toPlain(before))
    if (client.server.capabilities.logging !== undefined) await client.setLogLevel('debug')
    io.say(`Following ${name}. Ctrl-C ends.`)
    await stayUntil(io.signal)
    return EXIT_CODES.ok.code
  } finally {
    await host.close()
  }
}

export const approveChanges: ServersAction = async (words, input, io) => {
  const name = await oneServer(words, 'approve', input, io)
  const host = await openHost(io, { ...hostOptionsOf(input), only: [name] })
  try {
    await host.upstreams.client(name, { signal: io.signal })
    await host.catalogue.refresh(name, io.signal)
    const changed = host.catalogue.items().filter((item) => item.server === name && item.quarantine !== undefined)
    for (const { kind, ownName, quarantine } of changed) {
      io.say(`${kind} ${io.paint.bold(toPlain(ownName))} changed:`)
      for (const { part, before, after } of quarantine?.difference ?? []) {
        io.say(`  ${part}\n    ${io.paint.red(`- ${toPlain(before)}`)}\n    ${io.paint.green(`+ ${toPlain(after)}`)}`)
      }
    }
    if (changed.length > 0 && input.flags.yes !== true) await confirm('Approve all of these?', io)
    const count = changed.length === 0 ? 0 : host.catalogue.approve(name)
    if (input.json) io.out(JSON.stringify({ server: name, approved: count }))
    io.say(count === 0 ? `Nothing of ${name} waits for approval.` : `Approved ${counted(count, 'item')} of ${name}.`)
    return EXIT_CODES.ok.code
  } finally {
    await host.close()
  }
}

export const trustProject: ServersAction = async (words, input, io) => {
  if (words.length > 0) throw new CliError('usage', 'servers trust takes no name: it is about the file of this folder')
  const [waiting] = (await readConfig(io)).untrusted
  if (waiting === undefined) {
    io.say('There is no file here that waits to be trusted.')
    return EXIT_CODES.ok.code
  }
  io.say(`${waiting.file}, which adds ${waiting.servers.join(', ') || 'no servers'}:\n\n${toPlain(waiting.content)}`)
  if (input.flags.yes !== true) await confirm('Trust this file as it is?', io)
  await trustOf(io).trust(waiting.file, waiting.content)
  if (input.json) io.out(JSON.stringify({ file: waiting.file, servers: waiting.servers }))
  io.say('Trusted, until it changes.')
  return EXIT_CODES.ok.code
}

export const untrustProject: ServersAction = async (words, input, io) => {
  if (words.length > 0)
    throw new CliError('usage', 'servers untrust takes no name: it is about the file of this folder')
  const file = await wholePath(projectFile(io))
  const changed = await trustOf(io).revoke(file)
  if (input.json) io.out(JSON.stringify({ file, changed }))
  io.say(changed ? `${file} is no longer trusted: its servers are not used.` : `${file} was not trusted.`)
  return EXIT_CODES.ok.code
}

async function oneServer(words: readonly string[], action: string, input: CommandInput, io: Io): Promise<string> {
  const [name, ...extra] = words
  if (name === undefined || extra.length > 0) throw new CliError('usage', `servers ${action} takes one name`)
  return findServer(await readConfig(io, hostOptionsOf(input).config), name).name
}

function describe({ source, level, text }: UpstreamLog): string {
  return `${source}${level === undefined ? '' : ` ${level}`} ${text}`
}
