/**
 * A reader at a shell: blocks are run one after the other, and the folder and the variables that one leaves are those of
 * the next. Nothing of the person who runs this is in reach: home, configuration and npm's cache are empty at the start.
 * A block that asks something, or that goes on beside the next ones, gets a terminal of its own.
 */

import { type SpawnSyncReturns, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openScreen, type Screen } from '../support/tmux.ts'
import { type Block, escapePattern, missingLine } from './blocks.ts'
import { Browser, DEEDS } from './browser.ts'
import { configureModel } from './model.ts'

const GIVEN = ['./given/', '../../examples/'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)))
const DEADLINE_MS = 900_000
const ENDED = /ended with (\d+)\./
/** A shell drops the rest of its line with Ctrl-C. */
const PROMPT = /^\$$/

type Ended = Pick<SpawnSyncReturns<string>, 'status' | 'output'>

export class Shell {
  readonly #notes: string
  readonly #env: { readonly [name: string]: string }
  readonly #terminals = new Set<Screen>()
  #browser: Browser | undefined
  #model: { close(): Promise<void> } | undefined

  /** `notes` is a folder for what the shell has to remember; `cwd` is where the reader begins. */
  constructor(notes: string, cwd: string, env: { readonly [name: string]: string }) {
    this.#notes = notes
    this.#env = env
    mkdirSync(notes, { recursive: true })
    writeFileSync(join(notes, 'variables'), `cd '${cwd}'\n`)
  }

  /** Does what a reader would do with the block; rejects where it does not go as the page says. */
  async run(block: Block): Promise<void> {
    const { saveAs, given, after, until, answers, stopOthers, model, deed } = block.run
    if (stopOthers) await this.#stop()
    if (model) this.#model ??= await configureModel(this.#env.PORTICO_CONFIG_DIR ?? '')
    for (const name of given) this.#give(name)
    if (after !== undefined) await this.#pipe({ ...block, code: after, line: 0 })
    if (deed !== undefined) await this.#visit(deed)
    else if (saveAs !== undefined) writeFileSync(join(this.#cwd, saveAs), block.code)
    else if (until !== undefined || answers.length > 0) await this.#inTerminal(block)
    else compare(block, await this.#pipe(block))
  }

  async close(): Promise<void> {
    await this.#browser?.close()
    await this.#model?.close()
    await this.#stop()
  }

  /** Ends what still runs, by Ctrl-C. */
  async #stop(): Promise<void> {
    for (const terminal of this.#terminals) {
      terminal.mark()
      terminal.press('C-c')
      try {
        await terminal.until(new RegExp(`${ENDED.source}|${PROMPT.source}`, 'm'))
      } finally {
        terminal.close()
        this.#terminals.delete(terminal)
      }
    }
  }

  async #visit(deed: string): Promise<void> {
    const act = DEEDS[deed]
    const [link] = [...this.#terminals].flatMap((terminal) => /http:\/\/\S+token=\S+/.exec(terminal.text()) ?? [])
    if (act === undefined || link === undefined) throw new Error(`"${deed}" cannot be done here`)
    this.#browser ??= await Browser.open(link)
    await act(this.#browser)
  }

  #give(name: string): void {
    const from = GIVEN.map((folder) => join(folder, name)).find((path) => existsSync(path))
    if (from === undefined) throw new Error(`there is no ${name} to give`)
    cpSync(from, join(this.#cwd, basename(name)), { recursive: true })
  }

  get #cwd(): string {
    const [, folder = ''] = /^cd '(.*)'$/m.exec(readFileSync(join(this.#notes, 'variables'), 'utf8')) ?? []
    return folder
  }

  async #inTerminal(block: Block): Promise<void> {
    const terminal = openScreen(this.#env, this.#cwd)
    this.#terminals.add(terminal)
    terminal.line(`bash ${this.#write(block)}; echo "ended with $?."`)
    const { answers, until } = block.run
    for (const { at, type } of answers) {
      await terminal.until(patternOf(at), DEADLINE_MS)
      terminal.mark()
      terminal.line(type)
    }
    if (until !== undefined) {
      const shown = await terminal.until(new RegExp(`${escapePattern(until)}|^${ENDED.source}`, 'm'), DEADLINE_MS)
      if (!shown.includes(until)) throw new Error(`it ended before "${until}":\n${terminal.text()}`)
      return
    }
    const [, code] = ENDED.exec(await terminal.until(ENDED, DEADLINE_MS)) ?? []
    this.#terminals.delete(terminal)
    const output = [terminal.text()]
    terminal.close()
    compare(block, { status: Number(code), output })
  }

  #pipe(block: Block): Promise<Ended> {
    const options = { env: this.#env, timeout: DEADLINE_MS, killSignal: 'SIGKILL', stdio: 'pipe' } as const
    const child = spawn('bash', [this.#write(block)], options)
    child.stdin.end()
    const output: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => output.push(chunk))
    }
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (status) => resolve({ status, output }))
    })
  }

  /** The block as a script that begins where the last one ended, and stops at the first command that fails. */
  #write({ code, line }: Block): string {
    const file = join(this.#notes, `${line}.sh`)
    const variables = join(this.#notes, 'variables')
    const leave = `{ printf "cd '%s'\\n" "$PWD"; export -p; } > "${variables}"`
    writeFileSync(file, `. "${variables}"\nset -eo pipefail\nleave() { ${leave}; }\ntrap leave EXIT\n${code}\n`)
    return file
  }
}

function compare({ run, promised }: Block, { status, output }: Ended): void {
  const text = output.join('')
  if (status !== run.exitCode) throw new Error(`exit code ${status} instead of ${run.exitCode}:\n${text}`)
  const missing = promised === undefined ? undefined : missingLine(promised, text)
  if (missing !== undefined) throw new Error(`the page promises "${missing}", but it printed:\n${text}`)
}

function patternOf(text: string): RegExp {
  return new RegExp(text.split('…').map(escapePattern).join('[\\s\\S]*'))
}
