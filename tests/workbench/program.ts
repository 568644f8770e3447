/** The workbench as `npm start` starts it, with folders of its own and no key of any model in its environment. */

import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'

export interface Program {
  /** The link that it printed; good for one browser. */
  readonly link: string
  readonly folder: string
  /** Milliseconds from the command to the link. */
  readonly startMs: number
  /** Another link, as `npm start` gives it while one runs. */
  anotherLink(): Promise<string>
  /** Ends it and keeps its folders. */
  end(): Promise<void>
  /** The same program in the same folders, as somebody starts it the next day. */
  startAgain(): Promise<void>
  stop(): Promise<void>
}

const START = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url))
const START_MS = 240_000

/** `given` is added to its environment. */
export async function startProgram(given: Environment = {}): Promise<Program> {
  const folder = await mkdtemp(join(tmpdir(), 'portico-workbench-'))
  for (const name of ['state', 'config', 'home', 'project', 'bin']) await mkdir(join(folder, name))
  // Pages are opened in the lab's browser, by whoever clicks there: not in the one of whoever runs the lab.
  for (const name of ['xdg-open', 'open']) await writeFile(join(folder, 'bin', name), '#!/bin/sh\n', { mode: 0o755 })
  const from = Date.now()
  // Not the usual one: another workbench of this machine might take it while this one is restarted.
  const port = ['--port', String(await freePort())]
  let started = await launch(folder, given, port)
  const end = async (): Promise<void> => {
    started.end()
    await started.ended
  }
  const { link } = started
  return {
    link,
    folder,
    startMs: Date.now() - from,
    anotherLink: async () => {
      const again = await launch(folder, given)
      await again.ended
      return again.link
    },
    end,
    startAgain: async () => {
      started = await launch(folder, given, port)
    },
    stop: async () => {
      await end()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

type Environment = { readonly [name: string]: string }

interface Launched {
  readonly link: string
  readonly ended: Promise<void>
  end(): void
}

/** Resolves with the link once it is printed. */
function launch(folder: string, given: Environment, more: readonly string[] = []): Promise<Launched> {
  const keyless = Object.entries(process.env).filter(([name]) => !/_API_KEY$|^PORTICO_|^NODE_OPTIONS$/.test(name))
  const env = {
    ...Object.fromEntries(keyless),
    HOME: join(folder, 'home'),
    PORTICO_STATE_DIR: join(folder, 'state'),
    PORTICO_CONFIG_DIR: join(folder, 'config'),
    PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
    ...given,
  }
  // A group of its own, so that everything it starts can be ended with it.
  const child = spawn(process.execPath, [START, '--json', ...more], {
    cwd: join(folder, 'project'),
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const end = (): void => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGTERM')
    }
  }
  // Whatever ends the lab ends this too.
  process.once('exit', end)
  return new Promise((resolve, reject) => {
    let [out, said] = ['', '']
    const late = setTimeout(() => fail('printed no link in time'), START_MS)
    const fail = (why: string): void => {
      clearTimeout(late)
      end()
      reject(new Error(`The workbench ${why}: ${said}`))
    }
    child.stderr.on('data', (chunk) => {
      said = (said + chunk).slice(-4_000)
    })
    child.once('exit', () => fail('ended'))
    child.stdout.on('data', (chunk) => {
      out += chunk
      const line = out.split('\n').find((one) => one.includes('"url"'))
      if (line === undefined || !out.includes('\n')) return
      clearTimeout(late)
      resolve({ link: JSON.parse(line).url, ended, end })
    })
  })
}
