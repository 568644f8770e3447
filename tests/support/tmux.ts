/**
 * A real terminal that a program can look at: a tmux server of its own, with one window. Keys are typed into it, and its
 * screen is read until it shows what is waited for.
 */

import { execFileSync, spawnSync } from 'node:child_process'

export interface Screen {
  /** Types a line and Enter. */
  line(text: string): void
  /** Presses keys by tmux's names: `C-c`, `C-d`, `Enter`, `C-u`. */
  press(...keys: string[]): void
  /** Types, without Enter. */
  type(text: string): void
  /** Resolves when what has been shown since the last mark fits; rejects with the screen when it does not in time. */
  until(pattern: RegExp, deadlineMs?: number): Promise<string>
  /** Everything shown so far does not count any more. */
  mark(): void
  text(): string
  /** The processes below the shell in the window. */
  children(): string[]
  close(): void
}

const DEADLINE_MS = 90_000
const LOOK_MS = 50
let count = 0

export function missingTmux(): string | undefined {
  return spawnSync('tmux', ['-V']).status === 0 ? undefined : 'there is no tmux (apt-get install tmux)'
}

export function openScreen(env: { readonly [name: string]: string }, cwd: string, columns = 140): Screen {
  const socket = `portico-lab-${process.pid}-${++count}`
  const tmux = (...words: string[]): string =>
    execFileSync('tmux', ['-L', socket, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const variables = Object.entries({ ...env, PS1: '$ ', TERM: 'xterm-256color' }).map(
    ([name, value]) => `${name}=${value}`,
  )
  tmux('-f', '/dev/null', 'new-session', '-d', '-x', String(columns), '-y', '50', '-c', cwd, 'env', ...variables, 'sh')
  tmux('set-option', 'history-limit', '50000')
  const text = (): string => tmux('capture-pane', '-p', '-J', '-S', '-')
  let from = 0
  return {
    line: (words) => {
      tmux('send-keys', '-l', '--', words)
      tmux('send-keys', 'Enter')
    },
    type: (words) => void tmux('send-keys', '-l', '--', words),
    press: (...keys) => void tmux('send-keys', ...keys),
    text,
    mark: () => {
      from = text().trimEnd().length
    },
    async until(pattern, deadlineMs = DEADLINE_MS) {
      const deadline = Date.now() + deadlineMs
      for (;;) {
        const shown = text().trimEnd().slice(from)
        if (pattern.test(shown)) return shown
        if (Date.now() > deadline) throw new Error(`The screen never showed ${pattern}:\n${text().trimEnd()}`)
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
      }
    },
    children: () => {
      const shell = tmux('list-panes', '-F', '#{pane_pid}').trim()
      const { stdout } = spawnSync('ps', ['-o', 'pid=,args=', '--ppid', shell], { encoding: 'utf8' })
      return stdout.split('\n').filter((line) => line.trim() !== '')
    },
    close: () => void spawnSync('tmux', ['-L', socket, 'kill-server']),
  }
}
