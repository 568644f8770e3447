/** `portico doctor`: looks at everything that has to be right, and says what to do where it is not. */

import { access, constants, mkdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { verifyHostAudit } from '@portico/host'
import { formatProblem, inspectCommand, type LoadedConfig } from '@portico/host/config'
import { lintRules } from '@portico/host/policy'
import { EXIT_CODES } from '../../../exit-codes.ts'
import { ownVersion } from '../../../web/own-version.ts'
import { examineChatBot } from '../../chat-bot/examine-chat-bot.ts'
import { hostOptionsOf, readConfig, rulesOf } from '../../configuration.ts'
import { toCliError } from '../../failure.ts'
import { openHost } from '../../host.ts'
import { stateOf } from '../../host-places.ts'
import { modelsOf } from '../../own-models.ts'
import type { CommandInput } from '../../parse/command.ts'
import { targetOptionsOf } from '../../target/target.ts'
import { splitTarget } from '../../target/target-kind.ts'
import { counted } from '../../terminal/counted.ts'
import type { Io } from '../../terminal/io.ts'
import { toLine } from '../../terminal/plain-text.ts'
import { lacksYes, NOT_ALLOWED, remedyFor, settled, stateWord } from '../servers/servers-status.ts'
import { examineEditors } from './editor-checks.ts'

interface Check {
  readonly status: 'ok' | 'note' | 'fail'
  readonly what: string
  readonly detail: string
  readonly remedy?: string
}

export async function run(input: CommandInput, io: Io): Promise<number> {
  const checks: Check[] = []
  const tell = (check: Check): void => {
    checks.push(check)
    if (!input.json) print(check, io)
  }
  if (input.positionals.length > 0) {
    for await (const check of examineServer(input, io)) tell(check)
  } else {
    for await (const check of examineMachine(input, io)) tell(check)
  }
  io.progress(undefined)
  if (input.json) io.out(JSON.stringify(checks))
  const failed = checks.filter(({ status }) => status === 'fail').length
  const waiting = checks.filter(({ detail }) => detail.startsWith(NOT_ALLOWED)).length
  const unseen = waiting === 0 ? '' : ` ${counted(waiting, 'server')} could not be looked at without your permission.`
  io.say(
    `${failed === 0 ? 'Everything that was looked at works.' : `${failed} of ${counted(checks.length, 'check')} failed.`}${unseen}`,
  )
  return failed === 0 ? EXIT_CODES.ok.code : EXIT_CODES.failed.code
}

function print({ status, what, detail, remedy }: Check, io: Io): void {
  const colour = { ok: io.paint.green, note: io.paint.yellow, fail: io.paint.red }[status]
  const mark = io.terminal ? colour(status.padEnd(4)) : status
  io.progress(undefined)
  io.out(`${mark}${io.terminal ? '  ' : '\t'}${what}${io.terminal ? ': ' : '\t'}${toLine(detail, 600)}`)
  if (remedy !== undefined) io.say(`      ${remedy}`)
}

async function* examineMachine(input: CommandInput, io: Io): AsyncGenerator<Check> {
  const [major = 0] = process.versions.node.split('.').map(Number)
  yield major >= 20
    ? { status: 'ok', what: 'Node', detail: process.version }
    : { status: 'fail', what: 'Node', detail: process.version, remedy: 'Install Node 20 or later.' }
  yield await examineState(io)
  const { config: file } = hostOptionsOf(input)
  const config = await readConfig(io, file)
  yield {
    status: 'ok',
    what: 'configuration',
    detail: `${counted(config.servers.length, 'server')} from ${(await existing(config.files)).join(', ') || 'no file yet'}`,
  }
  for (const problem of config.problems) {
    yield {
      status: problem.severity === 'error' ? 'fail' : 'note',
      what: 'configuration',
      detail: formatProblem(problem),
    }
  }
  const rules = rulesOf(config)
  const findings = lintRules(rules, { servers: config.servers.map(({ name }) => name) })
  if (findings.length === 0) yield { status: 'ok', what: 'rules', detail: counted(rules.length, 'rule') }
  for (const { kind, rule, message } of findings) {
    const status = kind === 'invalid' ? 'fail' : 'note'
    yield { status, what: 'rules', detail: `${rule}: ${message}`, remedy: 'See `portico policy lint`.' }
  }
  yield await examineModels(config.extras, io)
  yield* examineChatBot(config, io)
  yield* await examineEditors({ env: io.env, home: io.env.HOME ?? homedir(), version: ownVersion() })
  yield* examineAudit(io)
  for (const { name, target } of config.servers) {
    for (const { level, message, remedy } of inspectCommand(target)) {
      yield { status: 'note', what: name, detail: `${level}: ${message}`, ...(remedy !== undefined && { remedy }) }
    }
  }
  if (config.servers.length > 0) yield* examineServers(file, io)
}

async function existing(files: readonly string[]): Promise<string[]> {
  const there = await Promise.all(
    files.map((file) =>
      access(file).then(
        () => [file],
        () => [],
      ),
    ),
  )
  return there.flat()
}

async function examineState(io: Io): Promise<Check> {
  const folder = stateOf(io)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.W_OK)
    const { mode } = await stat(folder)
    if (process.platform !== 'win32' && (mode & 0o022) !== 0) {
      return {
        status: 'fail',
        what: 'state',
        detail: `${folder} can be written by others`,
        remedy: `chmod 700 ${folder}`,
      }
    }
    return { status: 'ok', what: 'state', detail: folder }
  } catch {
    const remedy = 'Make it writable, or set PORTICO_STATE_DIR.'
    return { status: 'fail', what: 'state', detail: `${folder} cannot be written`, remedy }
  }
}

async function examineModels(extras: LoadedConfig['extras'], io: Io): Promise<Check> {
  const models = modelsOf({ extras }, io)
  // As chat does: a local Ollama is looked for where nothing else is there.
  if (models.usable().length === 0) await models.findOllama()
  const usable = models.usable().map(({ id }) => id)
  if (usable.length > 0) return { status: 'ok', what: 'models', detail: usable.join(', ') }
  const remedy =
    'For chat, set ANTHROPIC_API_KEY, OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, start Ollama, or add one: `portico models add --help`.'
  return { status: 'note', what: 'models', detail: 'none', remedy }
}

async function* examineAudit(io: Io): AsyncGenerator<Check> {
  let records = 0
  for (const { file, ...report } of await verifyHostAudit(stateOf(io))) {
    records += report.records
    if (!report.ok) {
      const [problem] = report.problems
      yield {
        status: 'fail',
        what: 'audit',
        detail: `${file}: ${problem?.message}`,
        remedy: 'See `portico audit verify`.',
      }
    }
  }
  yield { status: 'ok', what: 'audit', detail: counted(records, 'record') }
}

async function* examineServers(config: string | undefined, io: Io): AsyncGenerator<Check> {
  const host = await openHost(io, { ...(config !== undefined && { config }), unattended: true })
  try {
    await settled(host, io)
    for (const { name, state, version, latencyMs } of host.upstreams.views()) {
      const detail = [
        stateWord(state),
        version,
        latencyMs === undefined ? undefined : `${Math.round(latencyMs)} ms`,
        lacksYes(state) ? undefined : state.reason,
      ]
      const works = ['ready', 'idle'].includes(state.state)
      const harmless = ['degraded', 'disabled'].includes(state.state) || lacksYes(state)
      const status = works ? 'ok' : harmless ? 'note' : 'fail'
      yield {
        status,
        what: name,
        detail: detail.filter((part) => part !== undefined).join(', '),
        ...(state.remedy !== undefined && { remedy: remedyFor(name, state.remedy) }),
      }
    }
  } finally {
    await host.close()
  }
}

/** One server, step by step, up to the first that fails. */
async function* examineServer(input: CommandInput, io: Io): AsyncGenerator<Check> {
  const { openTarget } = await import('../../target/target.ts')
  const { target } = splitTarget(input)
  let open: Awaited<ReturnType<typeof openTarget>> | undefined
  try {
    const started = performance.now()
    open = await openTarget(target, io, targetOptionsOf(input))
    const { client, label } = open
    const { info, capabilities, instructions } = client.server
    yield { status: 'ok', what: 'connection', detail: `${label} in ${Math.round(performance.now() - started)} ms` }
    yield { status: 'ok', what: 'protocol', detail: client.version }
    yield { status: 'ok', what: 'server', detail: `${info?.name ?? 'without a name'} ${info?.version ?? ''}` }
    yield { status: 'ok', what: 'offers', detail: Object.keys(capabilities).join(', ') || 'nothing' }
    if (instructions !== undefined)
      yield { status: 'ok', what: 'instructions', detail: counted(instructions.length, 'character') }
    const pinged = performance.now()
    await client.ping({ signal: io.signal })
    yield { status: 'ok', what: 'answer', detail: `${Math.round(performance.now() - pinged)} ms` }
    const warnings: string[] = []
    client.on('warning', ({ message }) => warnings.push(message))
    for (const kind of ['tools', 'resources', 'templates', 'prompts'] as const) {
      yield { status: 'ok', what: kind, detail: String((await open[kind]()).length) }
    }
    for (const warning of warnings) yield { status: 'note', what: 'warning', detail: warning }
  } catch (error) {
    if (io.signal.aborted) throw error
    const { message, remedy } = toCliError(error, io)
    yield {
      status: 'fail',
      what: open === undefined ? 'connection' : 'server',
      detail: message,
      ...(remedy !== undefined && { remedy }),
    }
  } finally {
    await open?.close()
  }
}
