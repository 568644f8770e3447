/** The tools of the run server: they ask, run, and say what came of it and which bound was met. */

import { type AskingContext, result, ToolError, text, tool } from '@portico/sdk/server'
import { callerOf } from '../caller.ts'
import { requireConfirmation } from '../confirmation.ts'
import { FairTurns } from '../machine/fair-turns.ts'
import { spellHidden, toPlainText } from '../text/plain-text.ts'
import { toWords } from '../text/words.ts'
import { describeFile, type History, runUri, textOf, toPlainOutput } from './history.ts'
import { describeIsolation, type Isolation, type Languages } from './isolation.ts'
import { runJavascript } from './javascript.ts'
import type { RunSettings } from './options.ts'
import { checkFiles, type Ending, type Job, type Outcome } from './outcome.ts'
import type { Packages } from './packages.ts'
import { runProgram } from './program.ts'
import { describeSession, type OpenSession, type Sessions, withSession } from './sessions.ts'
import { FILES, ISOLATION, RESULT, SESSION } from './tool-schemas.ts'

interface ToolParts {
  readonly settings: RunSettings
  readonly isolation: Isolation
  readonly languages: Languages
  /** Absolute paths by the names in the option `commands`. */
  readonly commands: ReadonlyMap<string, string>
  readonly history: History
  readonly packages: Packages
  readonly sessions: Sessions
  /** Fires when the server closes. */
  readonly stop: AbortSignal
  /** What is running, each until all that it used is given back. */
  readonly underway: Set<Promise<Outcome>>
  readonly onRun: () => void
}

const HINTS = { readOnly: false, destructive: true, idempotent: false, openWorld: false } as const
const CODE = { type: 'string', minLength: 1, maxLength: 200_000 } as const
const STDIN = { type: 'string', maxLength: 1_000_000, description: 'What it reads from standard input' } as const

export function createTools(parts: ToolParts) {
  const { commands, languages } = parts
  const { maxRunning } = parts.settings.limits
  const turns = new FairTurns({
    slots: maxRunning,
    maxWaiting: MAX_WAITING,
    refusal: () =>
      new ToolError(
        `${MAX_WAITING} of your runs wait already, and ${maxRunning} run at a time (option maxRunning). Try again when one has ended.`,
      ),
  })
  return {
    run_javascript: createRunJavascript({ ...parts, turns }),
    ...(languages.python !== undefined && { run_python: createRunPython({ ...parts, turns }, languages.python) }),
    ...(commands.size > 0 && { run_command: createRunCommand({ ...parts, turns }) }),
    isolation: tool(
      {
        title: 'Isolation',
        description: 'What code is kept from on this machine, in plain words, and the limits of a run.',
        input: { type: 'object', properties: {}, additionalProperties: false },
        output: ISOLATION,
        readOnly: true,
        idempotent: true,
        openWorld: false,
      },
      () => describeIsolation(parts.isolation, parts.settings, languages),
    ),
  }
}

/** Runs of one caller that wait for a place. */
const MAX_WAITING = 16

interface RunningParts extends ToolParts {
  readonly turns: FairTurns
}

function createRunJavascript(parts: RunningParts) {
  return tool(
    {
      title: 'Run JavaScript',
      description: `Run JavaScript or TypeScript in a sandbox without files or network. console.log prints, the value of the last expression (in a module with import or export: the default export) is the result, files.read(path), files.write(path, text) and files.list() reach the files of the call. ${packagesIn(Object.keys(parts.packages.javascript)) || 'No Node modules.'}`,
      input: {
        type: 'object',
        properties: {
          code: { ...CODE, description: 'The program' },
          language: { type: 'string', enum: ['javascript', 'typescript'], description: 'javascript unless given' },
          files: FILES,
          session: SESSION,
        },
        required: ['code'],
        additionalProperties: false,
      },
      output: RESULT,
      ...HINTS,
    },
    ({ code, language = 'javascript', files = [], session }, ctx) => {
      const name = language === 'typescript' ? 'TypeScript' : 'JavaScript'
      const question = `Run this ${name} in a sandbox without files or network?`
      const shown = shownOf({ code, files })
      return perform(parts, ctx, { tool: 'run_javascript', question, shown, files, session }, (job) =>
        runJavascript({ ...job, code, language, packages: parts.packages.javascript }),
      )
    },
  )
}

function createRunPython(parts: RunningParts, python: string) {
  return tool(
    {
      title: 'Run Python',
      description:
        `Run a Python 3 program without network, in an empty folder that the files of the call are put into; files that it leaves there come back. ${packagesIn(parts.packages.python)}`.trim(),
      input: {
        type: 'object',
        properties: { code: { ...CODE, description: 'The program' }, stdin: STDIN, files: FILES, session: SESSION },
        required: ['code'],
        additionalProperties: false,
      },
      output: RESULT,
      ...HINTS,
    },
    ({ code, stdin, files = [], session }, ctx) => {
      requireSandbox(parts, 'python')
      const question = `Run this Python program ${place(parts)}?`
      const shown = shownOf({ code, stdin, files })
      // Isolated from the user's own settings and packages; what is there besides comes with the system.
      const { python: names, pythonFolder } = parts.packages
      const program = [python, '-I', '-c', ...(names.length === 0 ? [code] : [WITH_PACKAGES, pythonFolder, code])]
      return perform(parts, ctx, { tool: 'run_python', question, shown, files, session }, (job) =>
        runProgram(parts.isolation.sandbox, { ...job, program, stdin, readable: parts.settings.readable }),
      )
    },
  )
}

/** Packages come last, so that none takes the place of a module of Python's own. */
const WITH_PACKAGES = `import sys
sys.path.append(sys.argv.pop(1))
exec(compile(sys.argv.pop(1), '<string>', 'exec'))`

function packagesIn(names: readonly string[]): string {
  return names.length === 0 ? '' : `Packages: ${names.join(', ')}.`
}

function createRunCommand(parts: RunningParts) {
  const names = [...parts.commands.keys()]
  return tool(
    {
      title: 'Run a command',
      description: `Run one of these programs without network and without a shell, in an empty folder that the files of the call are put into: ${names.join(', ')}.`,
      input: {
        type: 'object',
        properties: {
          command: { type: 'string', enum: names, description: 'Which program' },
          args: {
            type: 'array',
            items: { type: 'string', maxLength: 10_000 },
            maxItems: 100,
            description: 'Its arguments, one by one; no shell reads them',
          },
          stdin: STDIN,
          files: FILES,
          session: SESSION,
        },
        required: ['command'],
        additionalProperties: false,
      },
      output: RESULT,
      ...HINTS,
    },
    ({ command, args = [], stdin, files = [], session }, ctx) => {
      requireSandbox(parts, 'commands')
      const path = parts.commands.get(command)
      if (path === undefined) throw new ToolError(`Only these can be run: ${names.join(', ')} (option commands).`)
      if (args.some((arg) => arg.includes('\0'))) throw new ToolError('An argument cannot hold a zero character.')
      const line = [command, ...args].map((arg) => JSON.stringify(arg)).join(' ')
      const question = `Run this command ${place(parts)}?`
      const shown = shownOf({ code: line, stdin, files })
      return perform(parts, ctx, { tool: 'run_command', question, shown, files, session }, (job) =>
        runProgram(parts.isolation.sandbox, {
          ...job,
          program: [path, ...args],
          stdin,
          readable: parts.settings.readable,
        }),
      )
    },
  )
}

interface Request {
  readonly tool: string
  readonly question: string
  readonly shown: string
  readonly files: readonly { path: string; text: string }[]
  readonly session: string | undefined
}

/** Takes the folder of the session for as long as it runs. */
async function perform(parts: RunningParts, ctx: AskingContext, request: Request, run: (job: Job) => Promise<Outcome>) {
  const given = checkFiles(request.files, parts.settings.limits)
  const session = request.session === undefined ? undefined : parts.sessions.open(ctx.principal, request.session)
  try {
    const files = withSession(session, given, parts.settings.limits)
    const shown = session === undefined ? request.shown : `${request.shown}\n\n${describeSession(session)}`
    return await performIn(parts, ctx, { ...request, shown, inFolder: files, session }, run)
  } finally {
    session?.end()
  }
}

interface ReadyRequest extends Omit<Request, 'session' | 'files'> {
  readonly inFolder: Job['files']
  readonly session: OpenSession | undefined
}

/** Asks, waits for its turn, runs, remembers. */
async function performIn(
  parts: RunningParts,
  ctx: AskingContext,
  request: ReadyRequest,
  run: (job: Job) => Promise<Outcome>,
) {
  const { ask, allowUnasked } = parts.settings
  if (ask) await requireConfirmation(ctx, request.question, allowUnasked, request.shown)
  const signal = AbortSignal.any([ctx.signal, parts.stop])
  return parts.turns.run(callerOf(ctx), () => runNow(parts, ctx, request, (job) => run({ ...job, signal })), signal)
}

async function runNow(
  parts: ToolParts,
  ctx: AskingContext,
  request: ReadyRequest,
  run: (job: Omit<Job, 'signal'>) => Promise<Outcome>,
) {
  const { limits } = parts.settings
  const start = Date.now()
  let printed = 0
  const onOutput = (text: string): void => {
    printed += text.length
    const words = toPlainText(text)
    ctx.progress(printed, undefined, lastLine(words))
    ctx.log('info', words, request.tool)
  }
  try {
    const started = run({ files: request.inFolder, limits, onOutput })
    parts.underway.add(started)
    const { folder, ...outcome } = await started.finally(() => parts.underway.delete(started))
    // What was ended on the way leaves the session as it was.
    const isWhole = outcome.ending === 'finished' || outcome.ending === 'failed'
    if (folder !== undefined && isWhole) request.session?.keep(folder)
    const { id } = parts.history.add(ctx.principal, request.tool, outcome)
    parts.onRun()
    const told = toResult(parts, id, withNote(outcome, request.session), Date.now() - start)
    return result({ content: [text(toWords(toBrief(told)))], structuredContent: told })
  } catch (error) {
    if (error instanceof ToolError || ctx.signal.aborted) throw error
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new ToolError(`It could not be started${code}. The tool "isolation" says what this machine can run.`, {
      cause: error,
    })
  }
}

/** Whoever counts on files of an earlier run has to know that there were none. */
function withNote(outcome: Outcome, session: OpenSession | undefined): Outcome {
  if (session?.isNew !== true) return outcome
  const note = `The session "${session.name}" is new: nothing was kept under this name.`
  return { ...outcome, lost: [outcome.lost, note].filter((one) => one !== undefined).join(' ') }
}

/** Text of a file that goes into a result; the resource has all of it. */
const SHOWN_FILE = 4_000

function toResult({ settings, isolation }: ToolParts, id: string, outcome: Outcome, durationMs: number) {
  const { ending, exitCode, lost } = outcome
  const note = [NOTES[ending](settings), lost].filter((one) => one !== undefined).join(' ')
  return {
    ok: ending === 'finished',
    ending,
    exitCode,
    ...toPlainOutput(outcome),
    files: outcome.files.map((file) => {
      const text = file.bytes.length <= SHOWN_FILE ? textOf(file.bytes) : undefined
      return { ...describeFile(id, file), ...(text !== undefined && { text: toPlainText(text) }) }
    }),
    ...(note !== '' && { note }),
    durationMs,
    sandbox: isolation.sandbox?.kind ?? 'none',
    uri: runUri(id),
  }
}

/** What a model needs of it: nothing that is empty, as usual, or of use to programs alone. */
function toBrief({ ok, ending, exitCode, stdout, stderr, files, durationMs: _, sandbox, ...rest }: Told): object {
  return {
    ok,
    ...(ending !== 'finished' && { ending }),
    ...(exitCode !== null && exitCode !== 0 && { exitCode }),
    ...(stdout !== '' && { stdout }),
    ...(stderr !== '' && { stderr }),
    ...rest,
    ...(files.length > 0 && { files }),
    ...(sandbox === 'none' && { sandbox }),
  }
}

type Told = ReturnType<typeof toResult>

const NOTES: { readonly [E in Ending]: (settings: RunSettings) => string | undefined } = {
  finished: () => undefined,
  failed: () => undefined,
  time: ({ limits }) => `Ended: it took more than ${limits.timeMs} ms (option timeMs).`,
  memory: ({ limits }) => `Ended: it used more than ${limits.memoryBytes} bytes of memory (option memoryBytes).`,
  machine: () => 'Ended: the machine was short of memory, and of what ran this held the most. Try again in a moment.',
  output: ({ limits }) => `Ended: it printed more than ${limits.outputBytes} bytes (option outputBytes).`,
}

function requireSandbox({ isolation, settings, languages }: ToolParts, what: 'python' | 'commands'): void {
  if (isolation.sandbox !== undefined || settings.unsandboxed) return
  throw new ToolError(describeIsolation(isolation, settings, languages)[what])
}

function place({ isolation }: ToolParts): string {
  return isolation.sandbox === undefined
    ? 'with ALL your rights: on your files and your network, without a sandbox'
    : 'in a sandbox without network and without your files'
}

/** Whatever a program is given can be a program, too: a shell runs its standard input, an interpreter any file. */
interface Given {
  readonly code: string
  readonly stdin?: string
  readonly files: Request['files']
}

/** All of what will run, in order. */
function shownOf({ code, stdin = '', files }: Given): string {
  return [
    code,
    ...(stdin === '' ? [] : [`Standard input (${stdin.length} characters):\n${stdin}`]),
    ...files.map((file) => `File ${JSON.stringify(file.path)} (${file.text.length} characters):\n${file.text}`),
  ]
    .map(spellHidden)
    .join('\n\n')
}

function lastLine(text: string): string {
  return (text.trimEnd().split('\n').at(-1) ?? '').slice(0, 200)
}
