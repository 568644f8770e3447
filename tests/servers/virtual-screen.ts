/** A real X11 screen without a monitor, for the trial alone. */

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'

export interface VirtualScreen {
  readonly display: string
  stop(): Promise<void>
}

export function missingScreen(): string | undefined {
  const missing = ['Xvfb', 'xclock', 'xwininfo'].filter((name) => !existsSync(`/usr/bin/${name}`))
  return missing.length === 0 ? undefined : `no ${missing.join(', ')} here (apt-get install xvfb x11-apps x11-utils)`
}

export async function startScreen(): Promise<VirtualScreen> {
  const server = spawn('/usr/bin/Xvfb', ['-displayfd', '3', '-screen', '0', '640x480x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const kill = () => void server.kill('SIGKILL')
  process.once('exit', kill)
  const ended = new Promise<void>((done) => server.once('exit', () => done()))
  const display = await new Promise<string>((done, failed) => {
    server.once('error', failed)
    server.once('exit', () => failed(new Error('Xvfb did not start')))
    server.stdio[3]?.once('data', (chunk: Buffer) => done(`:${String(chunk).trim()}`))
  })
  return {
    display,
    async stop() {
      process.off('exit', kill)
      server.kill()
      await ended
    },
  }
}
