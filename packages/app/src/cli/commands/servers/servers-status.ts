/** `portico servers status`: each configured server, whether it works, and what to do where it does not. */

import type { Host } from '@portico/host'
import { formatProblem, showCommand } from '@portico/host/config'
import type { UpstreamStateName, UpstreamView } from '@portico/host/upstream'
import { EXIT_CODES } from '../../../exit-codes.ts'
import { hostOptionsOf, readConfig } from '../../configuration.ts'
import { openHost } from '../../host.ts'
import type { ServersAction } from '../../servers-action.ts'
import type { Io } from '../../terminal/io.ts'
import { toLine } from '../../terminal/plain-text.ts'
import { toTable } from '../../terminal/table.ts'

export const showStatus: ServersAction = async (_words, input, io) => {
  const options = hostOptionsOf(input)
  const config = await readConfig(io, options.config)
  for (const problem of config.problems) io.say(formatProblem(problem))
  if (config.servers.length === 0 && !input.json) {
    io.say(
      'No server is configured. Add one with `portico servers add`, or take those of another program with `portico servers import`.',
    )
    return EXIT_CODES.ok.code
  }
  const host = await openHost(io, { ...options, unattended: options.yes !== true })
  try {
    await settled(host, io)
    const views = host.upstreams.views()
    if (input.json) io.out(JSON.stringify(views.map(toJson)))
    else print(views, io)
    return views.some(({ state }) => BAD.has(state.state)) ? EXIT_CODES.failed.code : EXIT_CODES.ok.code
  } finally {
    await host.close()
  }
}

const BAD: ReadonlySet<UpstreamStateName> = new Set(['failed', 'needs-sign-in', 'quarantined', 'starting'])
const PATIENCE_MS = 15_000

/** Waits until every server has come up or failed, for so long as a person would. */
export async function settled(host: Host, io: Io, patienceMs = PATIENCE_MS): Promise<void> {
  const open = (): string[] =>
    host.upstreams.views().flatMap(({ name, state }) => (state.state === 'starting' ? [name] : []))
  await new Promise<void>((resolve) => {
    const isAsking = (): boolean =>
      host.inbox
        .pending()
        .some(({ elsewhere, body }) => elsewhere !== true && !['definition', 'trust'].includes(body.kind))
    const look = (): void => {
      const waiting = open()
      if (waiting.length === 0 || io.signal.aborted) end()
      else if (!isAsking()) io.progress(`connecting ${waiting.join(', ')} …`)
    }
    const end = (): void => {
      stop()
      clearTimeout(timer)
      io.signal.removeEventListener('abort', end)
      io.progress(undefined)
      resolve()
    }
    const stop = host.upstreams.on('state', look)
    // Time in which a person is being asked is theirs.
    const late = (): void => {
      if (!isAsking()) end()
      else timer = setTimeout(late, patienceMs)
    }
    let timer = setTimeout(late, patienceMs)
    io.signal.addEventListener('abort', end)
    look()
  })
}

function print(views: readonly UpstreamView[], io: Io): void {
  const rows = views.map((view) => [
    view.name,
    stateWord(view.state),
    view.version ?? '-',
    showCommand(view.config.target),
  ])
  io.out(toTable(rows, io, 0))
  for (const { name, state } of views) {
    if (state.reason === undefined) continue
    if (lacksYes(state)) {
      io.say(`${io.paint.yellow(name)}: nobody has allowed it yet.\n  ${remedyFor(name, state.remedy ?? '')}`)
      continue
    }
    const paint = BAD.has(state.state) ? io.paint.red : io.paint.dim
    const remedy = state.remedy === undefined ? '' : `\n  ${remedyFor(name, state.remedy)}`
    io.say(`${paint(name)}: ${toLine(state.reason, 600)}${remedy}`)
  }
}

export const NOT_ALLOWED = 'waits for permission'

/** A server that nobody has allowed has not failed: it was not tried. */
export function stateWord(state: UpstreamView['state']): string {
  const isHeld = state.awaits === 'permission' || (state.state === 'failed' && lacksYes(state))
  return isHeld ? NOT_ALLOWED : state.state
}

/** In a status nobody is asked, so that a server may lack no more than a yes. */
export function remedyFor(name: string, remedy: string): string {
  if (remedy.startsWith('Approve the connection'))
    return `Answer "always" once in a terminal: \`portico list ${name}\`; \`portico servers --yes\` allows this one time.`
  if (remedy.startsWith('Sign in')) return `Sign in: \`portico servers sign-in ${name}\`.`
  if (remedy.startsWith('Read the differences')) return `See them and approve: \`portico servers approve ${name}\`.`
  return toLine(remedy, 400)
}

/** Whether a server was not connected to only because nobody was asked. */
export function lacksYes({ reason, remedy }: UpstreamView['state']): boolean {
  return remedy?.startsWith('Approve the connection') === true && reason?.includes('Nobody is there') === true
}

function toJson({ name, state, version, serverInfo, config, calls, errors, latencyMs }: UpstreamView): object {
  return {
    name,
    state: state.state,
    ...(state.reason !== undefined && { reason: state.reason }),
    ...(state.remedy !== undefined && { remedy: state.remedy }),
    ...(version !== undefined && { protocol: version }),
    ...(serverInfo !== undefined && { server: serverInfo }),
    target: showCommand(config.target),
    file: config.place.file,
    calls,
    errors,
    ...(latencyMs !== undefined && { latencyMs }),
  }
}
